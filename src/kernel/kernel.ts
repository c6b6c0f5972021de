/** The inner loops of vector search over int8: one port, two implementations with identical results. */

import { PlainKernel } from "./plain-kernel.js";
import type { SharedRows } from "./shared-rows.js";
import { openWasmKernel } from "./wasm-kernel.js";

/** Vectors in the kernel's memory, or in memory that threads share: int8 [rows × dim], row-major, 0 until set. */
export interface Matrix {
  readonly rows: number;
  readonly dim: number;
  /**
   * Writes whole rows starting at `firstRow`.
   * @throws VerbatimError `invalid-argument` if they do not fit
   */
  set(firstRow: number, rows: Int8Array): void;
  /** Releases the memory. The matrix must not be used afterwards. */
  free(): void;
}

/** Single precision. Views of the kernel's memory: the next kernel call may invalidate them. */
export interface Totals {
  /** [passages] */
  sums: Float32Array;
  /** Largest sum of each block of TOTALS_BLOCK passages. */
  largest: Float32Array;
}

/** Where the bounds of a matrix go. */
export interface BoundPlace {
  firstPassage: number;
  perStep: number;
}

/**
 * Accumulators for postings in the kernel's memory, reused from question to question:
 *   total(p) = terms(p) + passages(p) · scale(p) + documents(d) · scale(d)    for passage p of document d
 * with scale = 1 / norm. Each step is rounded to single precision, in the order written.
 */
export interface PassageSums {
  /** Norms that divide the tf-idf sums: [passages], [documents], all > 0. */
  setNorms(passages: Float32Array, documents: Float32Array): void;
  /** Resets all sums to 0. */
  clear(): void;
  /**
   * Adds shares[values[k]] to the sum of units[k].
   * @param postings  units are passage or document numbers
   * @param shares  [256]
   */
  add(
    to: "terms" | "passages" | "documents",
    postings: { units: Uint32Array; values: Uint8Array },
    shares: Float32Array,
  ): void;
  /**
   * Adds an upper bound of (row r of the matrix · query) · perStep to the terms of passage
   * firstPassage + r, for all its rows (src/kernel/bounds.ts).
   * @param to.perStep  ≥ 0
   * @throws VerbatimError `invalid-argument` for other dimensions, or rows beyond the last passage
   */
  addBounds(matrix: Matrix, query: Int16Array, to: BoundPlace): void;
  /**
   * After `totals`: replaces the bounds in all sums above a limit by the inner products, and updates
   * the largest sums of their blocks. The other arguments are those of `addBounds`.
   */
  refineAbove(limit: number, matrix: Matrix, query: Int16Array, to: BoundPlace): void;
  /** Call at most once between two calls of `clear`. */
  totals(): Totals;
  /** Releases the memory. */
  free(): void;
}

/** Pairs (i, j) of two row sets: for every i, all j with from[i] ≤ j < to[i]. */
export interface PairRanges {
  /** int16 [dim] */
  query: Int16Array;
  from: Uint32Array;
  to: Uint32Array;
  /** Receives one sum per pair, ordered by i, then j; at least as long as the number of pairs. */
  out: Int32Array;
}

/**
 * All sums are exact 32-bit integers as long as queries respect the bounds of
 * src/vectors/quantise.ts. Every `dim` is a multiple of 16. Calls are synchronous; a kernel belongs to
 * one thread.
 */
export interface Kernel {
  readonly name: "wasm-simd" | "plain";
  /** @throws VerbatimError `out-of-space`; `invalid-argument` if dim is not a multiple of 16 */
  createMatrix(rows: number, dim: number): Matrix;
  /**
   * Opens rows that another thread may have made, for this kernel.
   * @returns undefined where that is impossible
   * @internal
   */
  openShared(shared: SharedRows): Matrix | undefined;
  /** @param owners  [passages] document number of each passage */
  createPassageSums(owners: Uint32Array, documents: number): PassageSums;
  /**
   * out[r] = row r of the matrix · query, for all its rows.
   * @param out  [rows]
   * @throws VerbatimError `invalid-argument` for other dimensions
   */
  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void;
  /** row · query. @throws VerbatimError `invalid-argument` for other dimensions or a row that the matrix lacks */
  rowDot(matrix: Matrix, row: number, query: Int16Array): number;
  /** out[r] = vectors[r] · query. @param vectors  [out.length × query.length] */
  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void;
  /**
   * out[n] = Σ_d query[d] · a[i][d] · b[j][d] for the n-th pair (DenSPI's coherency).
   * @returns the number of pairs
   */
  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number;
}

/** The WASM SIMD kernel, or its TypeScript twin where WASM SIMD is missing. */
export function createKernel(): Kernel {
  return openWasmKernel() ?? new PlainKernel();
}
