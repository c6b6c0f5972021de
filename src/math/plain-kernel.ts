/** The kernel in plain TypeScript: what src/math/kernel/assembly/index.ts does, readable, and where there is no WASM SIMD. */

import { VerbatimError } from "../errors.js";
import { CENTROIDS, CODES_OF_A_PAIR, type Codebook, codeTables, sumTables } from "./codebook.js";
import type { Kernel, Matrix, PairRanges, QuickScan, ScanPart, TopRows } from "./kernel.js";
import { checkCodebook, checkDots, checkMatrix, checkPairs, checkQuick, checkRows, checkScan } from "./shapes.js";
import { TopK } from "./topk.js";

class PlainMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  values: Int8Array;
  /** [rows × dim / 2] */
  codes = new Uint8Array(0);
  codebook: Codebook | undefined;

  constructor(rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.values = new Int8Array(rows * dim);
  }

  set(firstRow: number, values: Int8Array): void {
    checkRows(this, firstRow, values);
    this.values.set(values, firstRow * this.dim);
    this.codebook = undefined;
  }

  encode(codebook: Codebook): void {
    checkCodebook(this, codebook);
    const { rows, dim, values } = this;
    const tables = codeTables(codebook);
    this.codes = new Uint8Array((rows * dim) / 2);
    for (let row = 0, at = 0; row < rows; row++) {
      for (let p = 0; p < dim / 2; p++, at++) {
        const first = (values[row * dim + p]! & 255) >> 1;
        const second = (values[(row + 1) * dim - 1 - p]! & 255) >> 1;
        this.codes[at] = tables[p * CODES_OF_A_PAIR + first * 128 + second]!;
      }
    }
    this.codebook = codebook;
  }

  free(): void {
    this.values = new Int8Array(0);
    this.codes = new Uint8Array(0);
  }
}

function dotAt(values: Int8Array, offset: number, query: Int16Array): number {
  let sum = 0;
  for (let d = 0; d < query.length; d++) sum += values[offset + d]! * query[d]!;
  return sum;
}

function codedScore({ codes, dim }: PlainMatrix, row: number, tables: Uint8Array): number {
  let sum = 0;
  for (let p = 0; p < dim / 2; p++) sum += tables[p * CENTROIDS + codes[(row * dim) / 2 + p]!]!;
  return sum;
}

function eachRow(parts: readonly ScanPart[], take: (matrix: PlainMatrix, firstRow: number, row: number) => void): void {
  for (const { matrix, firstRow, ranges = Uint32Array.of(0, matrix.rows) } of parts) {
    if (!(matrix instanceof PlainMatrix))
      throw new VerbatimError("invalid-argument", "The matrix is another kernel's.");
    for (let r = 0; r < ranges.length; r += 2) {
      for (let row = ranges[r]!; row < ranges[r + 1]!; row++) take(matrix, firstRow, row);
    }
  }
}

export class PlainKernel implements Kernel {
  readonly name = "plain";

  createMatrix(rows: number, dim: number): Matrix {
    return new PlainMatrix(rows, dim);
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number, quick?: QuickScan): TopRows {
    const rows = checkScan(parts, query, k);
    const best = new TopK(Math.min(k, rows));
    const offer = (matrix: PlainMatrix, firstRow: number, row: number): void =>
      best.offer(firstRow + row, dotAt(matrix.values, row * matrix.dim, query));
    if (quick === undefined) eachRow(parts, offer);
    else {
      checkQuick(parts, quick);
      const tables = sumTables(quick.codebook, query);
      const near = new TopK(Math.min(quick.candidates, rows));
      eachRow(parts, (matrix, firstRow, row) => near.offer(firstRow + row, codedScore(matrix, row, tables)));
      const chosen = new Set(near.sorted().ids);
      eachRow(parts, (matrix, firstRow, row) => {
        if (chosen.has(firstRow + row)) offer(matrix, firstRow, row);
      });
    }
    const { ids, scores } = best.sorted();
    return { rows: ids, scores: Int32Array.from(scores) };
  }

  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void {
    checkDots(vectors, query, out.length);
    for (let row = 0; row < out.length; row++) out[row] = dotAt(vectors, row * query.length, query);
  }

  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
    const count = checkPairs(a, b, pairs);
    const { query, from, to, out } = pairs;
    const dim = query.length;
    const weighted = new Float64Array(dim);
    let n = 0;
    for (let i = 0; i < from.length; i++) {
      for (let d = 0; d < dim; d++) weighted[d] = a[i * dim + d]! * query[d]!;
      for (let j = from[i]!; j < to[i]!; j++) {
        let sum = 0;
        for (let d = 0; d < dim; d++) sum += weighted[d]! * b[j * dim + d]!;
        out[n++] = sum;
      }
    }
    return count;
  }
}
