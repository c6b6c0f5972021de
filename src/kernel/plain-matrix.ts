/** Rows in plain arrays: the twin of src/kernel/wasm-matrix.ts. */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import { partsOf } from "./bounds.js";
import type { Matrix } from "./kernel.js";

export class PlainMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  /** [rows × dim] */
  values: Int8Array;
  #restLengths: Float32Array | undefined;

  constructor(rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.values = new Int8Array(rows * dim);
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    this.values.set(rows, firstRow * this.dim);
    this.#restLengths = undefined;
  }

  /** [rows] Length of each row without its head. */
  get restLengths(): Float32Array {
    const { values, dim } = this;
    const { head } = partsOf(dim);
    this.#restLengths ??= Float32Array.from({ length: this.rows }, (_, row) => {
      let sum = 0;
      for (let d = head; d < dim; d++) sum += values[row * dim + d]! ** 2;
      return Math.sqrt(Math.fround(sum));
    });
    return this.#restLengths;
  }

  free(): void {
    this.values = new Int8Array(0);
  }
}

/** The row of `values` at an offset · query, over some dimensions; default all. */
export function dotAt(
  values: Int8Array,
  offset: number,
  query: Int16Array,
  { from = 0, to = query.length } = {},
): number {
  let sum = 0;
  for (let d = from; d < to; d++) sum += values[offset + d]! * query[d]!;
  return sum;
}

/** @throws VerbatimError `invalid-argument` for a matrix of the other kernel */
export function plainMatrix(matrix: Matrix): PlainMatrix {
  if (matrix instanceof PlainMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}
