/** The inner loops of vector search over int8: one port, two implementations with identical results. */

import type { Centroids } from "../vectors/centroids.js";
import type { RowBits } from "../vectors/nibbles.js";
import { PlainKernel } from "./plain-kernel.js";
import { openWasmKernel } from "./wasm-kernel.js";

/**
 * Vectors in the kernel's memory: [rows × dim], row-major, int8 or 4 bits per value
 * (src/vectors/nibbles.ts). Rows are contiguous and 0 until set, or grouped by inverted list
 * (src/vectors/centroids.ts); memory is allocated only for lists that have been set.
 */
export interface Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  /** [LISTS + 1] number of rows before each list, then the total; undefined for contiguous rows. */
  readonly firsts: Uint32Array | undefined;
  /**
   * Writes whole rows of `bits` starting at `firstRow`.
   * @throws VerbatimError `invalid-argument` if they do not fit or the rows are grouped by list
   */
  set(firstRow: number, rows: Int8Array | Uint8Array): void;
  /**
   * Writes one complete list.
   * @param numbers  row numbers, ascending, each below `rows`
   * @throws VerbatimError `invalid-argument` if the length or the last number is wrong, or the rows
   *   are contiguous
   */
  setList(list: number, numbers: Uint32Array, rows: Uint8Array): void;
  /** Releases the memory. The matrix must not be used afterwards. */
  free(): void;
}

/** One part of a scan. Row r of its matrix is number `firstRow` + r in the result. */
export interface ScanPart {
  matrix: Matrix;
  /** Ascending over the parts, without overlap; the last row number is < 2³². */
  firstRow: number;
  /** Rows to scan: flat [from, to) pairs, ascending, without overlap. Default: all. */
  ranges?: Uint32Array;
  /** Inverted lists to scan, in this order; each must have been set. Default: all. */
  lists?: Uint16Array;
}

/** Row numbers with their scores, highest score first, ties by row number. */
export interface TopRows {
  rows: Uint32Array;
  scores: Int32Array;
}

/** Passages per block of `Totals.largest`. */
export const TOTALS_BLOCK = 64;

/** Single precision. Views of the kernel's memory: the next kernel call may invalidate them. */
export interface Totals {
  /** [passages] */
  sums: Float32Array;
  /** Largest sum of each block of TOTALS_BLOCK passages. */
  largest: Float32Array;
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
   * Adds dots[p] · perStep to the terms of each passage.
   * @param dots  [passages]
   */
  addDots(dots: Int32Array, perStep: number): void;
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
  /**
   * @param bits  default 8
   * @throws VerbatimError `out-of-space`; `invalid-argument` if dim is not a multiple of 16
   */
  createMatrix(rows: number, dim: number, bits?: RowBits): Matrix;
  /** @param firsts  as `Matrix.firsts` @throws VerbatimError as `createMatrix` */
  createListedMatrix(firsts: Uint32Array, dim: number, bits: RowBits): Matrix;
  /** [LISTS] all lists, highest centroid · query first, ties by number. */
  probeOrder(centroids: Centroids, query: Int16Array): Uint16Array;
  /** @param owners  [passages] document number of each passage */
  createPassageSums(owners: Uint32Array, documents: number): PassageSums;
  /**
   * The min(k, rows) rows of all parts with the largest row · query. O(rows · dim + k log k log rows):
   * the threshold carries over from part to part, so the number of parts costs nothing. Exact, except
   * that rows outside `lists` are not considered.
   * @throws VerbatimError `invalid-argument` for mismatched dimensions, k < 1, row numbers that do not
   *   ascend, or a list that was not set
   */
  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number): TopRows;
  /**
   * out[r] = row r of the matrix · query, for all its rows.
   * @param out  [rows]
   * @throws VerbatimError `invalid-argument` for other dimensions, rows of 4 bits or rows in lists
   */
  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void;
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
