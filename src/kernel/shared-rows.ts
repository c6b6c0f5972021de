/**
 * Rows of vectors in memory that threads share: one thread fills them, every thread scans them with a WASM instance
 * of its own.
 */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import { partsOf } from "./bounds.js";
import type { Matrix } from "./kernel.js";
import { SHARED_WASM_BASE64 } from "./wasm-bytes.js";
import { MAXIMUM_PAGES, PAGE, type SharedMemory, wasmModule, webAssembly } from "./web-assembly.js";

/**
 * Each thread that opens the rows adds a page for its question and its inner products, as does one that replaces a
 * lost thread.
 */
const MAX_OPENED_PAGES = 1024;

/** Can be posted to other threads, which then use the same memory. */
export interface SharedRows {
  readonly rows: number;
  readonly dim: number;
  /** From address 0 on the parts of a matrix as in src/kernel/wasm-matrix.ts, then the pages of the threads. */
  readonly memory: SharedMemory;
}

/**
 * Memory for int8 [rows × dim], 0 until set; garbage once no thread has it.
 * @returns undefined where there is no such memory: without WASM SIMD or shared memory, or when memory is short
 * @throws VerbatimError `invalid-argument` if dim is not a multiple of 16
 */
export function createSharedRows(rows: number, dim: number): SharedRows | undefined {
  checkMatrix(rows, dim);
  const initial = Math.ceil((rows * (dim + 4)) / PAGE);
  const isPossible = 2 * dim < PAGE && initial < MAXIMUM_PAGES && wasmModule(SHARED_WASM_BASE64) !== undefined;
  if (!isPossible) return undefined;
  const maximum = Math.min(MAXIMUM_PAGES, initial + MAX_OPENED_PAGES);
  try {
    return { rows, dim, memory: new (webAssembly()!.Memory)({ initial, maximum, shared: true }) };
  } catch {
    return undefined;
  }
}

/**
 * Writes whole rows, before other threads scan them.
 * @throws VerbatimError `invalid-argument` if they do not fit
 */
export function setSharedRows(shared: SharedRows, firstRow: number, rows: Int8Array): void {
  checkRows(shared, firstRow, rows);
  const { heads, rests, lengths } = viewsOf(shared);
  const { dim } = shared;
  const { head, rest } = partsOf(dim);
  for (let n = 0; n < rows.length / dim; n++) {
    const row = firstRow + n;
    const after = rows.subarray(n * dim + head, (n + 1) * dim);
    heads.set(rows.subarray(n * dim, n * dim + head), row * head);
    rests.set(after, row * rest);
    let sum = 0;
    for (let d = 0; d < rest; d++) sum += after[d]! * after[d]!;
    lengths[row] = Math.sqrt(Math.fround(sum));
  }
}

function viewsOf({ rows, dim, memory: { buffer } }: SharedRows): {
  heads: Int8Array;
  rests: Int8Array;
  lengths: Float32Array;
} {
  const { head, rest } = partsOf(dim);
  const heads = new Int8Array(buffer, 0, rows * head);
  const rests = new Int8Array(buffer, heads.byteLength, rows * rest);
  return { heads, rests, lengths: new Float32Array(buffer, rows * dim, rows) };
}

/** Functions of assembly/shared.ts. */
interface SharedExports {
  dots(vectors: number, rows: number, dim: number, query: number, out: number): void;
  matrixDots(heads: number, rests: number, rows: number, head: number, rest: number, query: number, out: number): void;
}

interface Opened {
  exports: SharedExports;
  /** Address of the rests. */
  rests: number;
  restLengths: Float32Array;
  /** Of this thread: a query [dim], and room for inner products. */
  query: Int16Array;
  out: Int32Array;
}

/** Shared rows, as one thread scans them. */
export class SharedMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly #shared: SharedRows;
  #opened: Opened | undefined;

  private constructor(shared: SharedRows, opened: Opened) {
    this.rows = shared.rows;
    this.dim = shared.dim;
    this.#shared = shared;
    this.#opened = opened;
  }

  /** @returns undefined when there is no page left for this thread */
  static open(shared: SharedRows): SharedMatrix | undefined {
    const { dim, memory } = shared;
    try {
      const scratch = memory.grow(1) * PAGE;
      const { Instance } = webAssembly()!;
      const { exports } = new Instance(wasmModule(SHARED_WASM_BASE64)!, { env: { memory } });
      const { rests, lengths } = viewsOf(shared);
      const opened = {
        exports: exports as unknown as SharedExports,
        rests: rests.byteOffset,
        restLengths: lengths,
        query: new Int16Array(memory.buffer, scratch, dim),
        out: new Int32Array(memory.buffer, scratch + 2 * dim, (PAGE - 2 * dim) / 4),
      };
      return new SharedMatrix(shared, opened);
    } catch {
      return undefined;
    }
  }

  /** [rows] Length of each row without its head. */
  get restLengths(): Float32Array {
    return this.#use().restLengths;
  }

  set(firstRow: number, rows: Int8Array): void {
    this.#use();
    setSharedRows(this.#shared, firstRow, rows);
  }

  /**
   * Inner products of all rows with a query, in pieces.
   * @param query  [dim]
   * @param onDots  the piece is valid until it returns
   */
  eachDots(query: Int16Array, onDots: (firstRow: number, dots: Int32Array) => void): void {
    const { out } = this.#use();
    for (let first = 0; first < this.rows; first += out.length) {
      onDots(first, this.#dots(first, Math.min(out.length, this.rows - first), query));
    }
  }

  /** As `eachDots`, over the heads alone. */
  eachHeadDots(query: Int16Array, onDots: (firstRow: number, dots: Int32Array) => void): void {
    const { exports, out, query: own } = this.#use();
    const { head } = partsOf(this.dim);
    own.set(query);
    for (let first = 0; first < this.rows; first += out.length) {
      const count = Math.min(out.length, this.rows - first);
      exports.dots(first * head, count, head, own.byteOffset, out.byteOffset);
      onDots(first, out.subarray(0, count));
    }
  }

  /** row · query. @param query  [dim] */
  dot(row: number, query: Int16Array): number {
    return this.#dots(row, 1, query)[0]!;
  }

  /** The inner product of a row and a query without their heads, for the rows of one query. @param query  [dim] */
  restDots(query: Int16Array): (row: number) => number {
    const { exports, rests, out, query: own } = this.#use();
    const { head, rest } = partsOf(this.dim);
    own.set(query);
    return (row) => {
      exports.dots(rests + row * rest, 1, rest, own.byteOffset + 2 * head, out.byteOffset);
      return out[0]!;
    };
  }

  free(): void {
    this.#opened = undefined;
  }

  #dots(first: number, count: number, query: Int16Array): Int32Array {
    const { exports, rests, out, query: own } = this.#use();
    const { head, rest } = partsOf(this.dim);
    own.set(query);
    exports.matrixDots(first * head, rests + first * rest, count, head, rest, own.byteOffset, out.byteOffset);
    return out.subarray(0, count);
  }

  #use(): Opened {
    if (this.#opened === undefined) throw new VerbatimError("internal", "A matrix was used after free().");
    return this.#opened;
  }
}
