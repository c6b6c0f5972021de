/** The inner loops of search over int8 vectors: one port, two implementations that give the same integers. */

import type { Centroids } from "../vectors/centroids.js";
import type { RowBits } from "../vectors/nibbles.js";
import { PlainKernel } from "./plain-kernel.js";
import { openWasmKernel } from "./wasm-kernel.js";

/**
 * Vectors that stay in the kernel's memory: [rows × dim], row-major; int8, or 4 bits a number (src/vectors/nibbles.ts). They lie one after another, 0
 * until set; or list by list (src/vectors/centroids.ts), and memory is taken for those lists alone that have been set.
 */
export interface Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  /** Rows before each list, and the total: [LISTS + 1]; undefined where the rows lie one after another. */
  readonly firsts: Uint32Array | undefined;
  /** Writes whole rows of `bits` from `firstRow` on. @throws VerbatimError `invalid-argument` if they do not fit, or lie in lists */
  set(firstRow: number, rows: Int8Array | Uint8Array): void;
  /**
   * Writes one list, whole.
   * @param numbers  of its rows, ascending, below `rows`
   * @throws VerbatimError `invalid-argument` if it is of another length, its last number is too large, or the rows lie one after another
   */
  setList(list: number, numbers: Uint32Array, rows: Uint8Array): void;
  /** Gives the memory back; the matrix must not be used afterwards. */
  free(): void;
}

/** A part of what is scanned. Its row r has the number `firstRow` + r in the result. */
export interface ScanPart {
  matrix: Matrix;
  /** 0 for the first part; at least the numbers of all parts before. The last number of all is < 2³². */
  firstRow: number;
  /** Which rows: [from, to) pairs one after another, ascending, without overlap; default all. */
  ranges?: Uint32Array;
  /** Of rows in lists: the lists that are looked at, in this order; default all. Each must have been set. */
  lists?: Uint16Array;
}

/** Rows with their scores, score descending, ties by row ascending. */
export interface TopRows {
  rows: Uint32Array;
  scores: Int32Array;
}

/** Passages whose sums have one largest of their own in `Totals`. */
export const TOTALS_BLOCK = 64;

/** Single precision; views that the next call on the same kernel may end. */
export interface Totals {
  /** [passages] */
  sums: Float32Array;
  /** The largest sum of each TOTALS_BLOCK passages. */
  largest: Float32Array;
}

/**
 * Sums of postings in the kernel's memory, for one question after the other:
 *   total(p) = terms(p) + passages(p) · scale(p) + documents(d) · scale(d)     of every passage p of a document d
 * with scale = 1 / norm. Each step is rounded to single precision, in the order written.
 */
export interface PassageSums {
  /** What n-gram sums are divided by: [passages], [documents]; none is 0. */
  setNorms(passages: Float32Array, documents: Float32Array): void;
  /** All sums are 0. */
  clear(): void;
  /** Adds shares[values[k]] to the sum of units[k]; units are below the number of passages, or of documents. @param shares  [256] */
  add(
    to: "terms" | "passages" | "documents",
    postings: { units: Uint32Array; values: Uint8Array },
    shares: Float32Array,
  ): void;
  /** May be called once before the next `clear`. */
  totals(): Totals;
  /** Gives the memory back. */
  free(): void;
}

/** Which pairs (i, j) of two row sets: for every i, the j with from[i] ≤ j < to[i]. */
export interface PairRanges {
  /** int16 [dim] */
  query: Int16Array;
  from: Uint32Array;
  to: Uint32Array;
  /** Receives one sum a pair, in the order of i, then j; at least as long as there are pairs. */
  out: Int32Array;
}

/**
 * All sums are exact 32-bit integers: the caller keeps queries within the bounds of src/vectors/quantise.ts.
 * Every `dim` is a multiple of 16. Calls are synchronous; a kernel is not shared between threads.
 */
export interface Kernel {
  readonly name: "wasm-simd" | "plain";
  /** @param bits  default 8 @throws VerbatimError `out-of-space` if the memory cannot be had, `invalid-argument` for a dim that is no multiple of 16 */
  createMatrix(rows: number, dim: number, bits?: RowBits): Matrix;
  /** @param firsts  rows before each list, and the total @throws VerbatimError as `createMatrix` */
  createListedMatrix(firsts: Uint32Array, dim: number, bits: RowBits): Matrix;
  /** All lists, those first whose centroid · query is largest; ties by number: [LISTS]. */
  probeOrder(centroids: Centroids, query: Int16Array): Uint16Array;
  /** @param owners  document of every passage, below `documents` */
  createPassageSums(owners: Uint32Array, documents: number): PassageSums;
  /**
   * The min(k, rows) rows of all parts together with the largest row · query. Exact; O(rows · dim + k log k log rows): the worst score
   * that is still kept goes from part to part, so many parts cost no more than one.
   * With `lists` of a part the k best of the rows that are looked at, or all of them: some of the best may be missing, no score is another.
   * @throws VerbatimError `invalid-argument` for another dimension than the query's, k < 1, numbers that do not ascend, a list that was not set
   */
  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number): TopRows;
  /** out[r] = vectors[r] · query for the out.length rows of `vectors` [rows × query.length]. */
  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void;
  /** out[n] = Σ_d query[d] · a[i][d] · b[j][d] for the n-th pair (DenSPI's coherency). @returns the number of pairs */
  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number;
}

/** The WASM SIMD kernel, or its TypeScript twin where WASM SIMD is missing. */
export function createKernel(): Kernel {
  return openWasmKernel() ?? new PlainKernel();
}
