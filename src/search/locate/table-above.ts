/** The part of a table above a place in it. */

import { hasCells, lineAround } from "../../text/table-rows.js";
import type { Quoted } from "../types.js";

/** UTF-16 units read at a time, and at most. */
const STEP = 4096;
const MAX_ABOVE = 65_536;

/**
 * The text above a place from outside a table, or from a table's first row on; less than a line if the place is not
 * in a table.
 * @param read  the text from an offset up to the place
 * @returns undefined if the table is too long
 */
export async function tableAbove(read: (from: number) => Promise<string>, place: number): Promise<string | undefined> {
  for (let units = STEP; ; units *= 2) {
    const from = Math.max(0, place - units);
    const text = await read(from);
    let at = text.length;
    while (at > 0) {
      const line = lineAround(text, at - 1);
      if (line.start === 0 && from > 0) break; // a part of a line
      const isWhole = at < text.length || text.endsWith("\n"); // the place may be within a row
      if (isWhole && !hasCells(text, line)) return text.slice(Math.min(at, line.end + 1));
      at = line.start;
    }
    if (from === 0) return text;
    if (units >= MAX_ABOVE) return undefined;
  }
}

/**
 * The first row of the table that a place is in.
 * @param below  the text from the place on, at least to the end of a row
 * @returns undefined if the table is too long
 */
export async function firstRow(
  read: (from: number) => Promise<string>,
  place: number,
  below: string,
): Promise<Quoted | undefined> {
  const above = await tableAbove(read, place);
  if (above === undefined) return undefined;
  const text = above + below;
  let { start, end } = lineAround(text, 0);
  while (!hasCells(text, { start, end }) && end < text.length) ({ start, end } = lineAround(text, end + 1));
  const offset = place - above.length;
  return { text: text.slice(start, end), start: offset + start, end: offset + end };
}
