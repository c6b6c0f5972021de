/** A mistake in a filter, with the place where it is. */

import { VerbatimError } from "../errors.js";

/** Units of the filter shown to either side of a mistake. */
const AROUND = 32;

export class FilterSyntaxError extends VerbatimError {
  /** UTF-16 offset in the filter at which it cannot be read on; its length when something is missing at the end. */
  readonly position: number;
  /** The filter around the mistake on one line, and a caret under it on the next. */
  readonly excerpt: readonly [line: string, caret: string];

  /** @param problem  continues "The filter cannot be read: " */
  constructor(problem: string, mistake: { filter: string; position: number; hint: string }) {
    const { filter, position, hint } = mistake;
    super("invalid-argument", `The filter cannot be read at character ${position + 1}: ${problem}.`, {
      hint,
      where: `character ${position + 1}`,
    });
    this.position = position;
    this.excerpt = excerptOf(filter, position);
  }
}

function excerptOf(filter: string, position: number): readonly [string, string] {
  const from = position > AROUND ? position - AROUND : 0;
  const to = Math.min(filter.length, position + AROUND);
  const before = `${from > 0 ? "…" : ""}${oneLine(filter.slice(from, position))}`;
  const after = `${oneLine(filter.slice(position, to))}${to < filter.length ? "…" : ""}`;
  return [before + after, `${" ".repeat([...before].length)}^`];
}

/** Every character that takes no column, or more than one, becomes a space. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, " ");
}
