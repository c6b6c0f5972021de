/** What a place in a document belongs to: the headings above it, and the header of its table. */

import { headingAbove } from "../../src/text/headings.js";
import type { Document } from "../../src/types.js";

/** The headings that a UTF-16 offset is below, outermost first, each on one line. */
export function headingPath({ text, headings = [] }: Document, offset: number): string[] {
  const path: string[] = [];
  for (let at = headingAbove(headings, offset); at !== undefined; at = headingAbove(headings, at.start))
    path.push(text.slice(at.start, at.end).replace(/\s+/g, " "));
  return path.reverse();
}

/** The column names of the table rows at an offset, or undefined if there are none. */
export function tableHeader({ tables = [] }: Document, offset: number): string | undefined {
  return tables.find(({ start, end }) => start <= offset && offset < end)?.header;
}
