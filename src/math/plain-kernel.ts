/** The kernel in plain TypeScript: what src/math/kernel/assembly/index.ts does, readable, and where there is no WASM SIMD. */

import { VerbatimError } from "../errors.js";
import { type Centroids, LISTS, listOf, probeOrder } from "./centroids.js";
import type { Kernel, Matrix, PairRanges, PassageSums, ProbeScan, ScanPart, TopRows } from "./kernel.js";
import { type RowBits, unpackNibbles } from "./nibbles.js";
import { PlainSums } from "./plain-sums.js";
import { planOf } from "./probe.js";
import { checkCentroids, checkDots, checkMatrix, checkPairs, checkProbe, checkRows, checkScan } from "./shapes.js";
import { TopK } from "./topk.js";

class PlainMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  values: Int8Array;
  centroids: Centroids | undefined;
  /** Rows of every list, where they lie in lists. */
  lists: number[][] = [];

  constructor(rows: number, dim: number, bits: RowBits) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.bits = bits;
    this.values = new Int8Array(rows * dim);
  }

  set(firstRow: number, rows: Int8Array | Uint8Array): void {
    checkRows(this, firstRow, rows);
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    this.values.set(unpackNibbles(bytes, this.dim, this.bits), firstRow * this.dim);
  }

  arrange(centroids: Centroids): boolean {
    checkCentroids(this, centroids);
    if (this.centroids !== undefined) return true;
    this.lists = Array.from({ length: LISTS }, () => []);
    for (let row = 0; row < this.rows; row++) {
      this.lists[listOf(centroids, this.values.subarray(row * this.dim, (row + 1) * this.dim))]!.push(row);
    }
    this.centroids = centroids;
    return true;
  }

  free(): void {
    this.values = new Int8Array(0);
    this.lists = [];
  }
}

function dotAt(values: Int8Array, offset: number, query: Int16Array): number {
  let sum = 0;
  for (let d = 0; d < query.length; d++) sum += values[offset + d]! * query[d]!;
  return sum;
}

interface PlainPart extends ScanPart {
  matrix: PlainMatrix;
}

function own(part: ScanPart): PlainPart {
  const { matrix } = part;
  if (matrix instanceof PlainMatrix) return { ...part, matrix };
  throw new VerbatimError("invalid-argument", "The matrix is another kernel's.");
}

function isAllowed(row: number, ranges: Uint32Array | undefined): boolean {
  if (ranges === undefined) return true;
  for (let r = 0; r < ranges.length; r += 2) if (row >= ranges[r]! && row < ranges[r + 1]!) return true;
  return false;
}

export class PlainKernel implements Kernel {
  readonly name = "plain";

  createMatrix(rows: number, dim: number, bits: RowBits = 8): Matrix {
    return new PlainMatrix(rows, dim, bits);
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new PlainSums(owners, documents);
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number, probe?: ProbeScan): TopRows {
    const count = Math.min(k, checkScan(parts, query, k));
    if (probe !== undefined) checkProbe(probe);
    const best = new TopK(count);
    const offer = ({ matrix, firstRow, ranges }: PlainPart, row: number): void => {
      if (!isAllowed(row, ranges)) return;
      best.offer(firstRow + row, dotAt(matrix.values, row * matrix.dim, query));
    };
    const { whole, probed, rows: wanted } = planOf(parts.map(own), probe);
    for (const part of whole) for (let row = 0; row < part.matrix.rows; row++) offer(part, row);
    let looked = 0;
    for (const list of probed.length > 0 ? probeOrder(probe!.centroids, query) : []) {
      if (looked >= wanted && best.count === count) break;
      for (const part of probed) {
        const rows = part.matrix.lists[list]!;
        for (const row of rows) offer(part, row);
        looked += rows.length;
      }
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
