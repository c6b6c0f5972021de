/**
 * Rows of vectors in memory that threads share: one thread fills them, every thread scans them with a WASM instance
 * of its own.
 */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import { exactDimensions, restLength } from "./bounds.js";
import type { Matrix } from "./kernel.js";
import { SHARED_WASM_BASE64 } from "./wasm-bytes.js";
import { MAXIMUM_PAGES, PAGE, type SharedMemory, wasmModule, webAssembly } from "./web-assembly.js";

/** Each thread that opens the rows adds a page for its question and its inner products, as does one that replaces a lost thread. */
const MOST_OPENED = 1024;

/** Can be posted to other threads, which then use the same memory. */
export interface SharedRows {
  readonly rows: number;
  readonly dim: number;
  /** The rows from address 0 on, then the pages of the threads. */
  readonly memory: SharedMemory;
}

/**
 * Memory for int8 [rows × dim], 0 until set; garbage once no thread has it.
 * @returns undefined where there is no such memory: without WASM SIMD or shared memory, or when memory is short
 * @throws VerbatimError `invalid-argument` if dim is not a multiple of 16
 */
export function createSharedRows(rows: number, dim: number): SharedRows | undefined {
  checkMatrix(rows, dim);
  const initial = Math.ceil((rows * dim) / PAGE);
  const isPossible = 2 * dim < PAGE && initial < MAXIMUM_PAGES && wasmModule(SHARED_WASM_BASE64) !== undefined;
  if (!isPossible) return undefined;
  const maximum = Math.min(MAXIMUM_PAGES, initial + MOST_OPENED);
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
  new Int8Array(shared.memory.buffer).set(rows, firstRow * shared.dim);
}

/** Functions of assembly/shared.ts. */
interface SharedExports {
  dots(vectors: number, rows: number, dim: number, query: number, out: number): void;
  headDots(vectors: number, rows: number, dim: number, head: number, query: number, out: number): void;
  restDots(vectors: number, dim: number, head: number, query: number, rows: number, count: number, out: number): void;
  restLengths(vectors: number, rows: number, dim: number, head: number, out: number): void;
}

interface Opened {
  exports: SharedExports;
  values: Int8Array;
  /** Of this thread: a query [dim], and room for inner products. */
  query: Int16Array;
  out: Int32Array;
}

/** Shared rows, as one thread scans them. */
export class SharedMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  #opened: Opened | undefined;
  /** Of this thread; made when they are first needed. */
  #restLengths: Float32Array | undefined;

  private constructor({ rows, dim }: SharedRows, opened: Opened) {
    this.rows = rows;
    this.dim = dim;
    this.#opened = opened;
  }

  /** @returns undefined when there is no page left for this thread */
  static open(shared: SharedRows): SharedMatrix | undefined {
    const { rows, dim, memory } = shared;
    try {
      const scratch = memory.grow(1) * PAGE;
      const { Instance } = webAssembly()!;
      const { exports } = new Instance(wasmModule(SHARED_WASM_BASE64)!, { env: { memory } });
      const { buffer } = memory;
      const opened = {
        exports: exports as unknown as SharedExports,
        values: new Int8Array(buffer, 0, rows * dim),
        query: new Int16Array(buffer, scratch, dim),
        out: new Int32Array(buffer, scratch + 2 * dim, (PAGE - 2 * dim) / 4),
      };
      return new SharedMatrix(shared, opened);
    } catch {
      return undefined;
    }
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    this.#use().values.set(rows, firstRow * this.dim);
    this.#restLengths = undefined;
  }

  /** [rows] Lengths of the dimensions that bounds are not exact over. */
  get restLengths(): Float32Array {
    if (this.#restLengths !== undefined) return this.#restLengths;
    const { exports, out } = this.#use();
    const lengths = new Float32Array(this.rows);
    const found = new Float32Array(out.buffer, out.byteOffset, out.length);
    this.#inPieces((first, count) => {
      exports.restLengths(first * this.dim, count, this.dim, exactDimensions(this.dim), out.byteOffset);
      lengths.set(found.subarray(0, count), first);
    });
    this.#restLengths = lengths;
    return lengths;
  }

  /**
   * Inner products of all rows with a query, in pieces.
   * @param query  [dim]
   * @param onDots  the piece is valid until it returns
   */
  eachDots(query: Int16Array, onDots: (firstRow: number, dots: Int32Array) => void): void {
    const { exports, out, ...own } = this.#use();
    own.query.set(query);
    this.#inPieces((first, count) => {
      exports.dots(first * this.dim, count, this.dim, own.query.byteOffset, out.byteOffset);
      onDots(first, out.subarray(0, count));
    });
  }

  /** As `eachDots`, over the dimensions that bounds are exact over. */
  eachHeadDots(query: Int16Array, onDots: (firstRow: number, dots: Int32Array) => void): void {
    const { exports, out, ...own } = this.#use();
    const head = exactDimensions(this.dim);
    own.query.set(query);
    this.#inPieces((first, count) => {
      exports.headDots(first * this.dim, count, this.dim, head, own.query.byteOffset, out.byteOffset);
      onDots(first, out.subarray(0, count));
    });
  }

  /** As `Kernel.boundGaps`. */
  boundGaps(rows: Uint32Array, query: Int16Array): Float64Array {
    const { restLengths, dim } = this;
    const { exports, out, ...own } = this.#use();
    own.query.set(query);
    const length = restLength(query);
    const gaps = new Float64Array(rows.length);
    const most = out.length >>> 1; // the numbers of rows, then their inner products
    const numbers = new Uint32Array(out.buffer, out.byteOffset, most);
    const dots = out.subarray(most);
    for (let from = 0; from < rows.length; from += most) {
      const some = rows.subarray(from, from + most);
      numbers.set(some);
      const addresses = [own.query.byteOffset, numbers.byteOffset, some.length, dots.byteOffset] as const;
      exports.restDots(0, dim, exactDimensions(dim), ...addresses);
      for (const [n, row] of some.entries()) gaps[from + n] = restLengths[row]! * length - dots[n]!;
    }
    return gaps;
  }

  /** row · query. @param query  [dim] */
  dot(row: number, query: Int16Array): number {
    const { exports, out, ...own } = this.#use();
    own.query.set(query);
    exports.dots(row * this.dim, 1, this.dim, own.query.byteOffset, out.byteOffset);
    return out[0]!;
  }

  free(): void {
    this.#opened = undefined;
  }

  /** As many rows at a time as there is room for their results. */
  #inPieces(visit: (firstRow: number, count: number) => void): void {
    const { out } = this.#use();
    for (let first = 0; first < this.rows; first += out.length) visit(first, Math.min(out.length, this.rows - first));
  }

  #use(): Opened {
    if (this.#opened === undefined) throw new VerbatimError("internal", "A matrix was used after free().");
    return this.#opened;
  }
}
