/** The kernel in WASM SIMD (src/kernel/assembly/index.ts). */

import { VerbatimError } from "../errors.js";
import { type Centroids, EVERY_LIST, LISTS } from "../vectors/centroids.js";
import type { RowBits } from "../vectors/nibbles.js";
import { checkDots, checkMatrixDots, checkPairs, checkScan } from "./argument-checks.js";
import { centroidTables } from "./centroid-tables.js";
import type { Kernel, Matrix, PairRanges, PassageSums, ScanPart, TopRows } from "./kernel.js";
import { setBits } from "./nprobe.js";
import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import { WasmMatrix } from "./wasm-matrix.js";
import { WasmSums } from "./wasm-sums.js";

/** @returns undefined where WASM SIMD is missing */
export function openWasmKernel(): WasmKernel | undefined {
  const wasm = wasmInstance();
  return wasm && new WasmKernel(wasm);
}

/** Reorders each 16 values: the 8 even ones, then the 8 odd ones, as 4-bit rows unpack. */
function evensFirst(query: Int16Array): Int16Array {
  return query.map((_, d) => query[(d & ~15) + 2 * (d & 7) + ((d >> 3) & 1)]!);
}

interface WasmPart extends ScanPart {
  matrix: WasmMatrix;
}

/** Ranges that are checked row by row; undefined where all rows are allowed or the ranges are scanned directly. */
const filteredRangesOf = ({ matrix, ranges }: WasmPart): Uint32Array | undefined =>
  matrix.firsts === undefined ? undefined : ranges;

function wasmPart(part: ScanPart): WasmPart {
  const { matrix } = part;
  if (matrix instanceof WasmMatrix) return { ...part, matrix };
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}

class WasmKernel implements Kernel {
  readonly name = "wasm-simd";
  readonly #wasm: WasmInstance;

  constructor(wasm: WasmInstance) {
    this.#wasm = wasm;
  }

  createMatrix(rows: number, dim: number, bits: RowBits = 8): Matrix {
    return new WasmMatrix(this.#wasm.heap, { rows, dim, bits });
  }

  createListedMatrix(firsts: Uint32Array, dim: number, bits: RowBits): Matrix {
    return new WasmMatrix(this.#wasm.heap, { firsts, dim, bits });
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new WasmSums(this.#wasm, { owners, documents });
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number): TopRows {
    const count = Math.min(k, checkScan(parts, query, k));
    if (count === 0) return { rows: new Uint32Array(0), scores: new Int32Array(0) };
    const { heap, scratch, exports } = this.#wasm;
    const own = parts.map(wasmPart);
    const dim = query.length;
    const filterBytes = (part: WasmPart): number =>
      filteredRangesOf(part) === undefined ? 0 : (part.matrix.rows + 7) >> 3;
    const [plainAt, nibblesAt, heapAt, ...bitsAt] = scratch.reserve(
      query.byteLength,
      query.byteLength,
      count * 8,
      ...own.map(filterBytes),
    ) as [number, number, number, ...number[]];
    const { int16 } = heap.views;
    int16.set(query, plainAt >>> 1);
    int16.set(evensFirst(query), nibblesAt >>> 1);
    const queryAt = { 4: nibblesAt, 8: plainAt };
    let filled = 0;
    // Contiguous rows first: a row only replaces a worse one, so an equal row with a smaller number must not come later.
    for (const { matrix, firstRow, ranges = Uint32Array.of(0, matrix.rows) } of own) {
      if (matrix.firsts !== undefined) continue;
      for (let r = 0; r < ranges.length; r += 2) {
        const from = ranges[r]!;
        const { bits, rowBytes } = matrix;
        const at = matrix.address + from * rowBytes;
        const rows = ranges[r + 1]! - from;
        filled = exports.scan(at, rows, dim, bits, queryAt[bits], firstRow + from, count, heapAt, filled);
      }
    }
    const listed = own.flatMap((part, n) =>
      part.matrix.firsts === undefined
        ? []
        : [{ ...part, lists: part.lists ?? EVERY_LIST, allowed: this.#allowed(part, bitsAt[n]!) }],
    );
    for (const { matrix, lists } of listed) matrix.checkSet(lists);
    const scanList = ({ matrix, firstRow, allowed }: (typeof listed)[number], list: number): void => {
      const at = matrix.listAt(list);
      if (at === undefined) return;
      const { rows, ids, count: size } = at;
      const { bits } = matrix;
      const queries = queryAt[bits];
      filled = exports.scanList(rows, size, dim, bits, queries, ids, firstRow, allowed, count, heapAt, filled);
    };
    // The nearest lists of all parts first: with their scores as the threshold, most other rows cost one comparison.
    const maxLists = listed.reduce((largest, { lists }) => Math.max(largest, lists.length), 0);
    for (let n = 0; n < maxLists; n++) {
      for (const part of listed) {
        const list = part.lists[n];
        if (list !== undefined) scanList(part, list);
      }
    }
    return this.#sorted(heapAt, filled);
  }

  /** A scan of the centroids that keeps them all. */
  probeOrder(centroids: Centroids, query: Int16Array): Uint16Array {
    const { heap, scratch, exports } = this.#wasm;
    const { lists } = centroidTables(this.#wasm, centroids);
    const [queryAt, heapAt] = scratch.reserve(query.byteLength, LISTS * 8) as [number, number];
    heap.views.int16.set(query, queryAt >>> 1);
    const filled = exports.scan(lists, LISTS, query.length, 8, queryAt, 0, LISTS, heapAt, 0);
    return Uint16Array.from(this.#sorted(heapAt, filled).rows);
  }

  /** Writes one bit per row. @returns their address, or 0 where every row is allowed */
  #allowed(part: WasmPart, at: number): number {
    const ranges = filteredRangesOf(part);
    if (ranges === undefined) return 0;
    setBits(new Uint8Array(this.#wasm.heap.buffer, at, (part.matrix.rows + 7) >> 3), ranges);
    return at;
  }

  /** Sorts the heap's keys, best first. A key is (score << 32) | (2³² − 1 − row), little-endian. */
  #sorted(heapAt: number, count: number): TopRows {
    const { heap, exports } = this.#wasm;
    exports.sortKeys(heapAt, count);
    const keys = heap.views.int32.subarray(heapAt >>> 2, (heapAt >>> 2) + count * 2);
    return {
      rows: Uint32Array.from({ length: count }, (_, n) => ~keys[2 * n]!),
      scores: Int32Array.from({ length: count }, (_, n) => keys[2 * n + 1]!),
    };
  }

  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void {
    const { matrix: rows } = wasmPart({ matrix, firstRow: 0 });
    checkMatrixDots(rows, query, out.length);
    const { heap, scratch, exports } = this.#wasm;
    const [queryAt, outAt] = scratch.reserve(query.byteLength, out.byteLength) as [number, number];
    heap.views.int16.set(query, queryAt >>> 1);
    exports.dots(rows.address, out.length, query.length, queryAt, outAt);
    out.set(heap.views.int32.subarray(outAt >>> 2, (outAt >>> 2) + out.length));
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
