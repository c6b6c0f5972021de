/** Rows in plain arrays: the twin of src/kernel/wasm-matrix.ts. */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import type { Matrix } from "./kernel.js";

export class PlainMatrix implements Matrix {
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

/** The row of `values` at an offset · query. */
export function dotAt(values: Int8Array, offset: number, query: Int16Array): number {
  let sum = 0;
  for (let d = 0; d < query.length; d++) sum += values[offset + d]! * query[d]!;
  return sum;
}

/** @throws VerbatimError `invalid-argument` for a matrix of the other kernel */
export function plainMatrix(matrix: Matrix): PlainMatrix {
  if (matrix instanceof PlainMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}
