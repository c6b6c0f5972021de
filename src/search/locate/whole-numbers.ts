/** Where a span begins or ends inside a number: tokens divide "12,50" and "10:30". */

import type { Span } from "../../types.js";

/** With separators of thousands, with decimals, or a time of day; not a part of a date, a version or an address. */
const NUMBER =
  /(?<![\d.,:])(?:\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d+[.,]\d+|\d{1,2}:\d{2})(?![.,:]?\d)/g;
/** Numbers that people write are not longer. */
const MAX_UNITS = 24;

/** The range `[start, end)`, extended so that it has every number whole that it begins or ends in. */
export function wholeNumbers(text: string, start: number, end: number): Span {
  const from = Math.max(0, start - MAX_UNITS);
  const range = { start, end };
  for (const { 0: number, index } of text.slice(from, end + MAX_UNITS).matchAll(NUMBER)) {
    const first = from + index;
    const last = first + number.length;
    if (first < start && start < last) range.start = first;
    if (first < end && end < last) range.end = last;
  }
  return range;
}
