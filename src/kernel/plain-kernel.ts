/** The kernel in plain TypeScript: the readable twin of src/kernel/assembly/, and the fallback without WASM SIMD. */

import { VerbatimError } from "../errors.js";
import { checkDots, checkMatrix, checkMatrixDots, checkPairs, checkRows } from "./argument-checks.js";
import type { Kernel, Matrix, PairRanges, PassageSums } from "./kernel.js";
import { PlainSums } from "./plain-sums.js";

class PlainMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  /** [rows × dim] */
  values: Int8Array;

  constructor(rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.values = new Int8Array(rows * dim);
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    this.values.set(rows, firstRow * this.dim);
  }

  free(): void {
    this.values = new Int8Array(0);
  }
}

function dotAt(values: Int8Array, offset: number, query: Int16Array): number {
  let sum = 0;
  for (let d = 0; d < query.length; d++) sum += values[offset + d]! * query[d]!;
  return sum;
}

function plainMatrix(matrix: Matrix): PlainMatrix {
  if (matrix instanceof PlainMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}

export class PlainKernel implements Kernel {
  readonly name = "plain";

  createMatrix(rows: number, dim: number): Matrix {
    return new PlainMatrix(rows, dim);
  }

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new PlainSums(owners, documents);
  }

  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void {
    const own = plainMatrix(matrix);
    checkMatrixDots(own, query, out.length);
    for (let row = 0; row < out.length; row++) out[row] = dotAt(own.values, row * query.length, query);
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
