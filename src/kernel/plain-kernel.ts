/** The kernel in plain TypeScript: the readable twin of src/kernel/assembly/, and the fallback without WASM SIMD. */

import { VerbatimError } from "../errors.js";
import { type Centroids, EVERY_LIST, LISTS, probeOrder } from "../vectors/centroids.js";
import { type RowBits, unpackNibbles } from "../vectors/nibbles.js";
import { TopK } from "../vectors/topk.js";
import {
  checkDots,
  checkList,
  checkMatrixDots,
  checkPairs,
  checkRows,
  checkScan,
  type MatrixShape,
  notSet,
  rowsOfShape,
} from "./argument-checks.js";
import type { Kernel, Matrix, PairRanges, PassageSums, ScanPart, TopRows } from "./kernel.js";
import { PlainSums } from "./plain-sums.js";

class PlainMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  readonly firsts: Uint32Array | undefined;
  /** [rows × dim], grouped by list where there are lists. */
  values: Int8Array;
  /** Row numbers of every list that was set. */
  readonly numbers: Array<Uint32Array | undefined> = [];

  constructor(shape: MatrixShape) {
    const { dim, bits } = shape;
    this.rows = rowsOfShape(shape);
    this.dim = dim;
    this.bits = bits;
    this.firsts = shape.firsts;
    this.values = new Int8Array(this.rows * dim);
    if (this.firsts === undefined) return;
    for (let n = 0; n < LISTS; n++)
      this.numbers[n] = this.firsts[n] === this.firsts[n + 1] ? new Uint32Array(0) : undefined;
  }

  set(firstRow: number, rows: Int8Array | Uint8Array): void {
    checkRows(this, firstRow, rows);
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    this.values.set(unpackNibbles(bytes, this.dim, this.bits), firstRow * this.dim);
  }

  setList(list: number, numbers: Uint32Array, rows: Uint8Array): void {
    checkList(this, list, { numbers, rows });
    this.values.set(unpackNibbles(rows, this.dim, this.bits), this.firsts![list]! * this.dim);
    this.numbers[list] = numbers.slice();
  }

  /** @throws VerbatimError `invalid-argument` if the list was not set */
  numbersOf(list: number): Uint32Array {
    const numbers = this.numbers[list];
    if (numbers !== undefined) return numbers;
    throw notSet(list);
  }

  free(): void {
    this.values = new Int8Array(0);
    this.numbers.length = 0;
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
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}

function isAllowed(row: number, ranges: Uint32Array | undefined): boolean {
  if (ranges === undefined) return true;
  for (let r = 0; r < ranges.length; r += 2) if (row >= ranges[r]! && row < ranges[r + 1]!) return true;
  return false;
}

export class PlainKernel implements Kernel {
  readonly name = "plain";

  createMatrix(rows: number, dim: number, bits: RowBits = 8): Matrix {
    return new PlainMatrix({ rows, dim, bits });
  }

  createListedMatrix(firsts: Uint32Array, dim: number, bits: RowBits): Matrix {
    return new PlainMatrix({ firsts, dim, bits });
  }

  probeOrder(centroids: Centroids, query: Int16Array): Uint16Array {
    return probeOrder(centroids, query);
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new PlainSums(owners, documents);
  }

  scanTopK(parts: readonly ScanPart[], query: Int16Array, k: number): TopRows {
    const best = new TopK(Math.min(k, checkScan(parts, query, k)));
    for (const { matrix, firstRow, ranges, lists = EVERY_LIST } of parts.map(own)) {
      const { values, dim, firsts } = matrix;
      const offer = (row: number, at: number): void => {
        if (isAllowed(row, ranges)) best.offer(firstRow + row, dotAt(values, at * dim, query));
      };
      if (firsts === undefined) for (let row = 0; row < matrix.rows; row++) offer(row, row);
      else
        for (const list of lists)
          for (const [n, row] of matrix.numbersOf(list).entries()) offer(row, firsts[list]! + n);
    }
    const { ids, scores } = best.sorted();
    return { rows: ids, scores: Int32Array.from(scores) };
  }

  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void {
    const { matrix: rows } = own({ matrix, firstRow: 0 });
    checkMatrixDots(rows, query, out.length);
    for (let row = 0; row < out.length; row++) out[row] = dotAt(rows.values, row * query.length, query);
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
