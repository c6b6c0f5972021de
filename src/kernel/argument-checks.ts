/** Argument checks shared by both kernels, so that they reject the same calls. */

import { VerbatimError } from "../errors.js";
import type { Matrix, PairRanges } from "./kernel.js";

function expect(holds: boolean, what: string, expected: unknown, found: unknown): void {
  if (!holds)
    throw new VerbatimError("invalid-argument", `${what}: expected ${expected}, found ${found}.`, { expected, found });
}

export function checkMatrix(rows: number, dim: number): void {
  expect(Number.isInteger(rows) && rows >= 0 && rows < 0xffffffff, "Rows of a matrix", "an integer ≥ 0", rows);
  expect(Number.isInteger(dim) && dim > 0 && dim % 16 === 0, "Dimension of a matrix", "a multiple of 16", dim);
}

export function checkRows(matrix: Pick<Matrix, "rows" | "dim">, firstRow: number, rows: Int8Array): void {
  const { dim } = matrix;
  expect(rows.length % dim === 0, "Values set in a matrix", `whole rows of ${dim} bytes`, rows.length);
  const last = firstRow + rows.length / dim;
  expect(
    Number.isInteger(firstRow) && firstRow >= 0 && last <= matrix.rows,
    "Rows set in a matrix",
    `0 to ${matrix.rows}`,
    last,
  );
}

export function checkDots(vectors: Int8Array, query: Int16Array, rows: number): void {
  expect(query.length > 0 && query.length % 16 === 0, "Dimension of a query", "a multiple of 16", query.length);
  expect(vectors.length === rows * query.length, "Length of vectors", rows * query.length, vectors.length);
}

export function checkMatrixDots({ rows, dim }: Matrix, query: Int16Array, count: number): void {
  expect(query.length === dim, "Dimension of a query", dim, query.length);
  expect(count === rows, "Room for inner products", rows, count);
}

export function checkRowDot({ rows, dim }: Matrix, query: Int16Array, row: number): void {
  expect(query.length === dim, "Dimension of a query", dim, query.length);
  expect(Number.isInteger(row) && row >= 0 && row < rows, "Row of a matrix", `0 to ${rows - 1}`, row);
}

export function checkBounds(
  { rows, dim }: Matrix,
  query: Int16Array,
  to: { firstPassage: number; perStep: number; passages: number },
): void {
  const { firstPassage: first, passages } = to;
  expect(query.length === dim, "Dimension of a query", dim, query.length);
  const isInside = Number.isInteger(first) && first >= 0 && first + rows <= passages;
  expect(isInside, "Passages that bounds are added to", `0 to ${passages}`, `${first} to ${first + rows}`);
  expect(to.perStep >= 0, "Weight of a bound", "≥ 0", to.perStep);
}

/** @returns the number of pairs */
export function checkPairs(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
  const { query, from, to, out } = pairs;
  const rows = from.length;
  checkDots(a, query, rows);
  expect(b.length % query.length === 0, "Length of vectors", `whole rows of ${query.length}`, b.length);
  expect(to.length === rows, "Length of pair ranges", rows, to.length);
  const columns = b.length / query.length;
  let count = 0;
  for (let i = 0; i < rows; i++) {
    if (to[i]! <= from[i]!) continue;
    expect(to[i]! <= columns, "End of a pair range", `at most ${columns}`, to[i]!);
    count += to[i]! - from[i]!;
  }
  expect(count <= out.length, "Room for pairs", `at least ${count}`, out.length);
  return count;
}
