/** Rows of tables in extracted text: lines with cells. */

import type { Span } from "../../types.js";

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
