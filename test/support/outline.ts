/** What a place in a document belongs to: the headings above it, and the first row of its table. */

import { firstRow } from "../../src/search/locate/table-above.js";
import { headingAbove } from "../../src/text/headings.js";
import { hasCells, lineAround } from "../../src/text/table-rows.js";
import type { Document } from "../../src/types.js";

/** The headings that a UTF-16 offset is below, outermost first, each on one line. */
export function headingPath({ text, headings = [] }: Document, offset: number): string[] {
  const path: string[] = [];
  for (let at = headingAbove(headings, offset); at !== undefined; at = headingAbove(headings, at.start))
    path.push(text.slice(at.start, at.end).replace(/\s+/g, " "));
  return path.reverse();
}

/** The row that is shown as the header of the row at an offset; undefined outside tables and in a first row. */
export async function tableHeader({ text }: Document, offset: number): Promise<string | undefined> {
  const row = lineAround(text, offset);
  if (!hasCells(text, row)) return undefined;
  const read = (from: number) => Promise.resolve(text.slice(from, row.start));
  const header = await firstRow(read, row.start, text.slice(row.start, row.end));
  return header?.start === row.start ? undefined : header?.text;
}
