/** The kernel in WASM SIMD (src/kernel/assembly/index.ts). */

import { checkDots, checkMatrixDots, checkPairs, checkRowDot } from "./argument-checks.js";
import type { Kernel, Matrix, PairRanges, PassageSums } from "./kernel.js";
import { SharedMatrix, type SharedRows } from "./shared-rows.js";
import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import { WasmMatrix, wasmMatrix } from "./wasm-matrix.js";
import { WasmSums } from "./wasm-sums.js";

/** @returns undefined where WASM SIMD is missing */
export function openWasmKernel(): WasmKernel | undefined {
  const wasm = wasmInstance();
  return wasm && new WasmKernel(wasm);
}

class WasmKernel implements Kernel {
  readonly name = "wasm-simd";
  readonly #wasm: WasmInstance;

  constructor(wasm: WasmInstance) {
    this.#wasm = wasm;
  }

  createMatrix(rows: number, dim: number): Matrix {
    return new WasmMatrix(this.#wasm, rows, dim);
  }

  openShared(shared: SharedRows): Matrix | undefined {
    return SharedMatrix.open(shared);
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new WasmSums(this.#wasm, { owners, documents });
  }

  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void {
    checkMatrixDots(matrix, query, out.length);
    if (matrix instanceof SharedMatrix) {
      matrix.eachDots(query, (firstRow, dots) => out.set(dots, firstRow));
      return;
    }
    const { heads, rests, head, rest } = wasmMatrix(matrix).parts();
    const { heap, scratch, exports } = this.#wasm;
    const [queryAt, outAt] = scratch.reserve(query.byteLength, out.byteLength) as [number, number];
    heap.views.int16.set(query, queryAt >>> 1);
    exports.matrixDots(heads, rests, out.length, head, rest, queryAt, outAt);
    out.set(heap.views.int32.subarray(outAt >>> 2, (outAt >>> 2) + out.length));
  }

  rowDot(matrix: Matrix, row: number, query: Int16Array): number {
    checkRowDot(matrix, query, row);
    if (matrix instanceof SharedMatrix) return matrix.dot(row, query);
    const { heads, rests, head, rest } = wasmMatrix(matrix).parts(row);
    const { heap, scratch, exports } = this.#wasm;
    const [queryAt, outAt] = scratch.reserve(query.byteLength, 4) as [number, number];
    heap.views.int16.set(query, queryAt >>> 1);
    exports.matrixDots(heads, rests, 1, head, rest, queryAt, outAt);
    return heap.views.int32[outAt >>> 2]!;
  }

  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void {
    checkDots(vectors, query, out.length);
    const { heap, scratch, exports } = this.#wasm;
    const [queryAt, vectorsAt, outAt] = scratch.reserve(query.byteLength, vectors.length, out.byteLength) as [
      number,
      number,
      number,
    ];
    const { int8, int16, int32 } = heap.views;
    int16.set(query, queryAt >>> 1);
    int8.set(vectors, vectorsAt);
    exports.dots(vectorsAt, out.length, query.length, queryAt, outAt);
    out.set(int32.subarray(outAt >>> 2, (outAt >>> 2) + out.length));
  }

  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
    const count = checkPairs(a, b, pairs);
    const { query, from, to, out } = pairs;
    const { heap, scratch, exports } = this.#wasm;
    const [queryAt, aAt, bAt, fromAt, toAt, outAt] = scratch.reserve(
      query.byteLength,
      a.length,
      b.length,
      from.byteLength,
      to.byteLength,
      count * 4,
    ) as [number, number, number, number, number, number];
    const { int8, int16, int32, uint32 } = heap.views;
    int16.set(query, queryAt >>> 1);
    int8.set(a, aAt);
    int8.set(b, bAt);
    uint32.set(from, fromAt >>> 2);
    uint32.set(to, toAt >>> 2);
    exports.pairDots(aAt, from.length, bAt, query.length, queryAt, fromAt, toAt, outAt);
    out.set(int32.subarray(outAt >>> 2, (outAt >>> 2) + count));
    return count;
  }
}
