/** The kernel in WASM SIMD: src/math/kernel/assembly/index.ts, with its memory laid out from here. */

import { VerbatimError } from "../errors.js";
import { WASM_BASE64 } from "./kernel/wasm-bytes.js";
import type { Kernel, Matrix, PairRanges, TopRows } from "./kernel.js";
import { checkDots, checkMatrix, checkPairs, checkRows, checkScan } from "./shapes.js";
import { type Block, type GrowableMemory, WasmHeap } from "./wasm-memory.js";

/** 4 GiB: all that 32-bit addresses reach. Nothing is reserved before it is used. */
const MAXIMUM_PAGES = 65_536;

interface KernelExports {
  dots(vectors: number, rows: number, dim: number, query: number, out: number): void;
  pairDots(
    a: number,
    rows: number,
    b: number,
    dim: number,
    query: number,
    from: number,
    to: number,
    out: number,
  ): number;
  scanTopK(matrix: number, rows: number, dim: number, query: number, k: number, heap: number): number;
}

/** The part of the WebAssembly API that is used here. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Memory: new (limits: { initial: number; maximum: number }) => GrowableMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown };
}

/** @returns undefined where WASM SIMD is missing */
export function openWasmKernel(): WasmKernel | undefined {
  const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
  const bytes = Uint8Array.from(atob(WASM_BASE64), (character) => character.charCodeAt(0));
  return api?.validate(bytes) ? new WasmKernel(api, bytes) : undefined;
}

class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly heap: WasmHeap;
  #block: Block | undefined;

  constructor(heap: WasmHeap, rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.heap = heap;
    this.#block = heap.allocate(rows * dim);
    new Int8Array(heap.buffer, this.#block.address, rows * dim).fill(0); // the block may have been used before
  }

  get address(): number {
    if (this.#block === undefined) throw new VerbatimError("internal", "A freed matrix is used.");
    return this.#block.address;
  }

  set(firstRow: number, values: Int8Array): void {
    checkRows(this, firstRow, values);
    new Int8Array(this.heap.buffer).set(values, this.address + firstRow * this.dim);
  }

  free(): void {
    if (this.#block !== undefined) this.heap.release(this.#block);
    this.#block = undefined;
  }
}

class WasmKernel implements Kernel {
  readonly name = "wasm-simd";
  readonly #heap: WasmHeap;
  readonly #exports: KernelExports;
  /** Arguments and results of one call; grows to the largest call. */
  #scratch: Block;

  constructor(api: WebAssemblyApi, bytes: Uint8Array) {
    const memory = new api.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
    this.#exports = new api.Instance(new api.Module(bytes), { env: { memory } }).exports as KernelExports;
    this.#heap = new WasmHeap(memory);
    this.#scratch = this.#heap.allocate(1024);
  }

  createMatrix(rows: number, dim: number): Matrix {
    return new WasmMatrix(this.#heap, rows, dim);
  }

  scanTopK(matrix: Matrix, query: Int16Array, k: number): TopRows {
    if (!(matrix instanceof WasmMatrix) || matrix.heap !== this.#heap) {
      throw new VerbatimError("invalid-argument", "The matrix is another kernel's.");
    }
    checkScan(matrix, query, k);
    const count = Math.min(k, matrix.rows);
    const rows = new Uint32Array(count);
    const scores = new Int32Array(count);
    if (count > 0) {
      const [queryAt, heapAt] = this.#layOut(query.byteLength, count * 8) as [number, number];
      new Int16Array(this.#heap.buffer, queryAt, query.length).set(query);
      this.#exports.scanTopK(matrix.address, matrix.rows, matrix.dim, queryAt, count, heapAt);
      // A key is (score << 32) | (2³² − 1 − row), little-endian.
      const keys = new Int32Array(this.#heap.buffer, heapAt, count * 2);
      for (let n = 0; n < count; n++) {
        rows[n] = ~keys[2 * n]!;
        scores[n] = keys[2 * n + 1]!;
      }
    }
    return { rows, scores };
  }

  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void {
    checkDots(vectors, query, out.length);
    const [queryAt, vectorsAt, outAt] = this.#layOut(query.byteLength, vectors.length, out.byteLength) as [
      number,
      number,
      number,
    ];
    const { buffer } = this.#heap;
    new Int16Array(buffer, queryAt, query.length).set(query);
    new Int8Array(buffer, vectorsAt, vectors.length).set(vectors);
    this.#exports.dots(vectorsAt, out.length, query.length, queryAt, outAt);
    out.set(new Int32Array(buffer, outAt, out.length));
  }

  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
    const count = checkPairs(a, b, pairs);
    const { query, from, to, out } = pairs;
    const [queryAt, aAt, bAt, fromAt, toAt, outAt] = this.#layOut(
      query.byteLength,
      a.length,
      b.length,
      from.byteLength,
      to.byteLength,
      count * 4,
    ) as [number, number, number, number, number, number];
    const { buffer } = this.#heap;
    new Int16Array(buffer, queryAt, query.length).set(query);
    new Int8Array(buffer, aAt, a.length).set(a);
    new Int8Array(buffer, bAt, b.length).set(b);
    new Uint32Array(buffer, fromAt, from.length).set(from);
    new Uint32Array(buffer, toAt, to.length).set(to);
    this.#exports.pairDots(aAt, from.length, bAt, query.length, queryAt, fromAt, toAt, outAt);
    out.set(new Int32Array(buffer, outAt, count));
    return count;
  }

  /** Aligned addresses of consecutive parts in the scratch block. */
  #layOut(...bytes: number[]): number[] {
    const aligned = bytes.map((part) => Math.ceil(part / 16) * 16);
    const total = aligned.reduce((sum, part) => sum + part, 0);
    if (total > this.#scratch.bytes) {
      const larger = this.#heap.allocate(2 * total);
      this.#heap.release(this.#scratch);
      this.#scratch = larger;
    }
    let next = this.#scratch.address;
    return aligned.map((part) => {
      const at = next;
      next += part;
      return at;
    });
  }
}
