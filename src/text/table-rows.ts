/** Rows of tables in extracted text: lines with cells. */

import type { Span } from "../types.js";

/** Between two cells. */
export const CELLS = " | ";

/** The line that an offset is in, without its newline. */
export function lineAround(text: string, at: number): Span {
  const end = text.indexOf("\n", at);
  return { start: text.lastIndexOf("\n", at - 1) + 1, end: end < 0 ? text.length : end };
}

export function hasCells(text: string, { start, end }: Span): boolean {
  return text.slice(start, end).includes(CELLS);
}

/** A cell below the first row of its table. */
export interface NamedCell extends Span {
  /** The name of its column: the cell above it in the first row. */
  column: string;
}

/** Tables with fewer columns are often pairs of a name and a value, and their first row is like any other. */
const MIN_COLUMNS = 3;
/** UTF-16 units of a column's name; longer cells are values. */
const MAX_NAME = 60;
/** A year alone is a name. */
const YEAR = /^(?:1[5-9]|20)\d\d$/;

/**
 * The cells of tables whose first row names the columns, in the order of the text, without that row and without empty
 * cells.
 * @param text  begins outside tables, or with a table's first row
 * @param from  only cells that begin at this offset or later
 */
export function namedCells(text: string, from = 0): NamedCell[] {
  const cells: NamedCell[] = [];
  let first: string[] | undefined;
  for (let at = 0; at < text.length; ) {
    const line = lineAround(text, at);
    at = line.end + 1;
    if (!hasCells(text, line)) {
      first = undefined;
      continue;
    }
    const row = text.slice(line.start, line.end).split(CELLS);
    if (first === undefined) first = row;
    else if (line.end > from && row.length <= first.length && isHeader(first)) {
      let { start } = line;
      for (const [n, cell] of row.entries()) {
        const end = start + cell.length;
        if (cell.trim() !== "" && first[n]!.trim() !== "" && start >= from)
          cells.push({ start, end, column: first[n]!.trim() });
        start = end + CELLS.length;
      }
    }
  }
  return cells;
}

/** Whether a first row has names of columns, and not values; only the first name may be missing. */
function isHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim());
  return (
    names.length >= MIN_COLUMNS &&
    new Set(names).size === names.length &&
    names.slice(1).every((name) => name !== "") &&
    names.every((name) => name.length <= MAX_NAME && (YEAR.test(name) || !isFigure(name)))
  );
}

const isFigure = (text: string): boolean => /\p{N}/u.test(text) && !/\p{L}/u.test(text);
