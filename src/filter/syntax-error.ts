/** A syntax error in a filter, with its position. */

import { VerbatimError } from "../errors.js";

/** UTF-16 units shown on either side of an error. */
const SIDE_UNITS = 32;

export class FilterSyntaxError extends VerbatimError {
  /** UTF-16 offset of the error; the filter's length if something is missing at the end. */
  readonly position: number;
  /** The filter around the error, and a line with a caret below it. */
  readonly excerpt: readonly [line: string, caret: string];

  /** @param problem  continues "Invalid filter: " */
  constructor(problem: string, mistake: { filter: string; position: number; hint: string }) {
    const { filter, position, hint } = mistake;
    super("invalid-argument", `Invalid filter at character ${position + 1}: ${problem}.`, {
      hint,
      where: `character ${position + 1}`,
    });
    this.position = position;
    this.excerpt = excerptOf(filter, position);
  }
}

function excerptOf(filter: string, position: number): readonly [string, string] {
  const from = position > SIDE_UNITS ? position - SIDE_UNITS : 0;
  const to = Math.min(filter.length, position + SIDE_UNITS);
  const before = `${from > 0 ? "…" : ""}${withoutControls(filter.slice(from, position))}`;
  const after = `${withoutControls(filter.slice(position, to))}${to < filter.length ? "…" : ""}`;
  return [before + after, `${" ".repeat([...before].length)}^`];
}

/** Replaces characters that do not take exactly one column by spaces. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, " ");
}
