/** Argument checks shared by both kernels, so that they reject the same calls. */

import { VerbatimError } from "../errors.js";
import { LISTS } from "../vectors/centroids.js";
import { type RowBits, rowBytesOf } from "../vectors/nibbles.js";
import type { Matrix, PairRanges, ScanPart } from "./kernel.js";

function expect(holds: boolean, what: string, expected: unknown, found: unknown): void {
  if (!holds)
    throw new VerbatimError("invalid-argument", `${what}: expected ${expected}, found ${found}.`, { expected, found });
}

/** Contiguous rows have a count; rows grouped by list have the number of rows before each list. */
export type MatrixShape = { dim: number; bits: RowBits } & (
  | { rows: number; firsts?: undefined }
  | { rows?: undefined; firsts: Uint32Array }
);

/** @returns the number of rows of a new matrix */
export function rowsOfShape({ dim, ...shape }: MatrixShape): number {
  if (shape.firsts !== undefined) checkFirsts(shape.firsts);
  const rows = shape.firsts?.[LISTS] ?? shape.rows!;
  checkMatrix(rows, dim);
  return rows;
}

export const notSet = (list: number): VerbatimError =>
  new VerbatimError("invalid-argument", `List ${list} of a matrix was scanned before it was set.`);

function checkMatrix(rows: number, dim: number): void {
  expect(Number.isInteger(rows) && rows >= 0 && rows < 0xffffffff, "Rows of a matrix", "an integer ≥ 0", rows);
  expect(Number.isInteger(dim) && dim > 0 && dim % 16 === 0, "Dimension of a matrix", "a multiple of 16", dim);
}

export function checkRows(matrix: Matrix, firstRow: number, rows: Int8Array | Uint8Array): void {
  const rowBytes = rowBytesOf(matrix.dim, matrix.bits);
  expect(matrix.firsts === undefined, "Rows of a matrix", "contiguous", "grouped by list");
  expect(rows.length % rowBytes === 0, "Values set in a matrix", `whole rows of ${rowBytes} bytes`, rows.length);
  const last = firstRow + rows.length / rowBytes;
  expect(
    Number.isInteger(firstRow) && firstRow >= 0 && last <= matrix.rows,
    "Rows set in a matrix",
    `0 to ${matrix.rows}`,
    last,
  );
}

function checkFirsts(firsts: Uint32Array): void {
  expect(
    firsts.length === LISTS + 1 && firsts[0] === 0,
    "First rows of lists",
    `${LISTS + 1} numbers starting with 0`,
    firsts.length,
  );
  for (let n = 0; n < LISTS; n++)
    if (firsts[n]! > firsts[n + 1]!)
      expect(false, "First rows of lists", "ascending", `${firsts[n]}, ${firsts[n + 1]}`);
}

export function checkList(
  matrix: Matrix,
  list: number,
  { numbers, rows }: { numbers: Uint32Array; rows: Uint8Array },
): void {
  const { firsts = new Uint32Array(0), dim, bits } = matrix;
  const count = (firsts[list + 1] ?? 0) - (firsts[list] ?? 0);
  expect(firsts.length > 0 && list >= 0 && list < LISTS, "A list of a matrix", "one of its lists", list);
  expect(numbers.length === count, `Rows of list ${list}`, count, numbers.length);
  expect(
    rows.length === count * rowBytesOf(dim, bits),
    `Bytes of list ${list}`,
    count * rowBytesOf(dim, bits),
    rows.length,
  );
  const last = numbers[count - 1] ?? 0;
  expect(count === 0 || last < matrix.rows, `Rows of list ${list}`, `ascending, below ${matrix.rows}`, last);
}

/** @returns the number of rows in the ranges of all parts */
export function checkScan(parts: readonly ScanPart[], query: Int16Array, k: number): number {
  expect(Number.isInteger(k) && k >= 1, "Rows wanted of a scan", "an integer ≥ 1", k);
  let rows = 0;
  let next = 0;
  for (const { matrix, firstRow, lists, ranges = Uint32Array.of(0, matrix.rows) } of parts) {
    expect(
      lists === undefined || matrix.firsts !== undefined,
      "Lists of a part",
      "a matrix grouped by list",
      "contiguous rows",
    );
    expect(query.length === matrix.dim, "Dimension of a query", matrix.dim, query.length);
    expect(Number.isInteger(firstRow) && firstRow >= next, "First row of a part", `an integer ≥ ${next}`, firstRow);
    next = firstRow + matrix.rows;
    expect(next <= 0xffffffff, "Rows of a scan", "fewer than 2³²", next);
    expect(ranges.length % 2 === 0, "Ranges of a scan", "pairs", ranges.length);
    let last = 0;
    for (let r = 0; r < ranges.length; r += 2) {
      const [from, to] = [ranges[r]!, ranges[r + 1]!];
      if (!(from >= last && to >= from && to <= matrix.rows))
        expect(false, "A range of a scan", `ascending, at most ${matrix.rows}`, `${from} to ${to}`);
      last = to;
      rows += to - from;
    }
  }
  return rows;
}

export function checkDots(vectors: Int8Array, query: Int16Array, rows: number): void {
  expect(query.length > 0 && query.length % 16 === 0, "Dimension of a query", "a multiple of 16", query.length);
  expect(vectors.length === rows * query.length, "Length of vectors", rows * query.length, vectors.length);
}

export function checkMatrixDots({ rows, dim, bits, firsts }: Matrix, query: Int16Array, count: number): void {
  expect(firsts === undefined && bits === 8, "Rows of a matrix", "contiguous, of 8 bits", `${bits} bits`);
  expect(query.length === dim, "Dimension of a query", dim, query.length);
  expect(count === rows, "Room for inner products", rows, count);
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
