/** Which heading a place in a document is below. */

import type { Heading } from "../types.js";

/** Longer headings are cut: they are context, not text. */
const MAX_HEADING_UNITS = 200;

/**
 * The nearest heading that a UTF-16 offset is below. A heading is not below itself but below the one above it of a
 * smaller level. O(headings)
 * @param headings  in the order of the text
 */
export function headingAbove(headings: readonly Heading[], offset: number): Heading | undefined {
  let at = headings.length - 1;
  while (at >= 0 && headings[at]!.start > offset) at--;
  const own = headings[at];
  if (own === undefined || offset >= own.end) return own;
  while (at >= 0 && headings[at]!.level >= own.level) at--;
  return headings[at];
}

/**
 * The headings that an offset is below, the nearest first; each has a smaller level than the one before it.
 * @param max  at most this many
 */
export function headingsAbove(headings: readonly Heading[], offset: number, max: number): Heading[] {
  const above: Heading[] = [];
  let next = headingAbove(headings, offset);
  while (next !== undefined && above.length < max) {
    above.push(next);
    next = headingAbove(headings, next.start);
  }
  return above;
}

/** The part of a heading that is shown to a network: at most 200 UTF-16 units. */
export function headingRange({ start, end }: Heading): { start: number; end: number } {
  return { start, end: Math.min(end, start + MAX_HEADING_UNITS) };
}

/** Headings that an index can store: in the order of the text, inside of it. Others are left out. */
export function storableHeadings(headings: readonly Heading[], length: number): Heading[] {
  const kept: Heading[] = [];
  for (const { start, end, level } of headings) {
    const isInside = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start <= end && end <= length;
    if (!isInside || start < (kept.at(-1)?.start ?? 0) || !Number.isSafeInteger(level) || level < 0) continue;
    kept.push({ start, end, level });
  }
  return kept;
}
