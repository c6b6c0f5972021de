/** What a place in a document belongs to: the headings above it, and the header of its table. */

import type { Document } from "../../src/types.js";

/** Longer headings are cut: they are context, not text. */
const MAX_HEADING_UNITS = 200;

/** The outline of one document. Making it takes O(headings). */
export class Outline {
  readonly #document: Pick<Document, "text" | "headings" | "tables">;
  /** Number of the heading that each heading is directly below; -1: none. */
  readonly #parents: Int32Array;

  constructor(document: Pick<Document, "text" | "headings" | "tables">) {
    const { headings = [] } = document;
    this.#document = document;
    this.#parents = new Int32Array(headings.length);
    for (const [i, { level }] of headings.entries()) {
      let above = i - 1;
      while (above >= 0 && headings[above]!.level >= level) above = this.#parents[above]!;
      this.#parents[i] = above;
    }
  }

  /**
   * The headings that a UTF-16 offset is below, outermost first, each on one line of at most 200 units. A heading is
   * not below itself. O(log headings + levels)
   */
  headingPath(offset: number): string[] {
    const { text, headings = [] } = this.#document;
    let at = lastStartingBefore(headings, offset);
    if (at >= 0 && offset < headings[at]!.end) at = this.#parents[at]!;
    const path: string[] = [];
    for (; at >= 0; at = this.#parents[at]!) {
      const { start, end } = headings[at]!;
      path.push(text.slice(start, Math.min(end, start + MAX_HEADING_UNITS)).replace(/\s+/g, " "));
    }
    return path.reverse();
  }

  /** The column names of the table rows at an offset, or undefined if there are none. O(log tables) */
  tableHeader(offset: number): string | undefined {
    const { tables = [] } = this.#document;
    const table = tables[lastStartingBefore(tables, offset)];
    return table !== undefined && offset < table.end ? table.header : undefined;
  }
}

/** Index of the last range with `start` ≤ offset; -1 if there is none. */
function lastStartingBefore(ranges: readonly { start: number }[], offset: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.start <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
