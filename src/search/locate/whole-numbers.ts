/**
 * Where a span begins or ends inside a number or an address: tokens divide "12,50", "10:30", "-5" and
 * "ann@example.org".
 */

import type { Span } from "../../types.js";

/** With separators of thousands, with decimals, or a time of day; not a part of a date, a version or an address. */
const NUMBER =
  /(?<![\d.,:])(?:\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d+[.,]\d+|\d{1,2}:\d{2})(?![.,:]?\d)/g;
/** Numbers that people write are not longer. */
const MAX_NUMBER_UNITS = 24;
/** What an address is a run of. */
const RUN = /[^\s<>"“”«»()[\]{},;|]/u;
const MAX_ADDRESS_UNITS = 300;
/** The address of a page, a person or a machine; as the start of a run that may end in punctuation. */
const ADDRESS = /^(?:https?:\/\/|www\.|[\p{L}\p{N}][^@]*@[^@.]+\.[\p{L}\p{N}]|\d+\.\d+\.\d+\.\d+[^\p{L}\p{N}]*$)/u;
const CLOSES_ADDRESS = /[\p{L}\p{N}/#=]/u;
/** A sign, after which a number with or without a currency follows, and the two units before it. */
const SIGN = /(?:^|[^\p{L}\p{N}\p{Sc}%)\]\s]|(?:^|[^\p{N}\p{Sc}%)\]\s])\s)[-−–]$/u;
const AFTER_SIGN = /^[$€£¥]?\.?\d/;
/** The sign of a grade or a blood group: "A+", "AA-". */
const GRADE_SIGN = /^[+\-−](?:[^\p{L}\p{N}+-]|$)/u;

/**
 * The range `[start, end)`, extended so that it has every number and every address whole that it begins or ends in,
 * the sign of a number, and that of a grade.
 */
export function wholeNumbers(text: string, start: number, end: number): Span {
  const range = { start, end };
  const from = Math.max(0, start - MAX_NUMBER_UNITS);
  for (const { 0: number, index } of text.slice(from, end + MAX_NUMBER_UNITS).matchAll(NUMBER)) {
    const first = from + index;
    const last = first + number.length;
    if (first < start && start < last) range.start = first;
    if (first < end && end < last) range.end = last;
  }
  range.start = addressAt(text, start)?.start ?? range.start;
  range.end = addressAt(text, end)?.end ?? range.end;
  const { start: first } = range;
  if (AFTER_SIGN.test(text.slice(first, first + 3)) && SIGN.test(text.slice(Math.max(0, first - 3), first))) {
    range.start--;
  }
  if (/\p{Lu}/u.test(text[range.end - 1] ?? "") && GRADE_SIGN.test(text.slice(range.end, range.end + 2))) range.end++;
  return range;
}

/** The address that contains the characters before and after `at`. */
function addressAt(text: string, at: number): Span | undefined {
  let start = at;
  let end = at;
  while (start > 0 && at - start < MAX_ADDRESS_UNITS && RUN.test(text[start - 1]!)) start--;
  while (end < text.length && end - at < MAX_ADDRESS_UNITS && RUN.test(text[end]!)) end++;
  if (start === at || !ADDRESS.test(text.slice(start, end))) return undefined;
  while (end > at && !CLOSES_ADDRESS.test(text[end - 1]!)) end--;
  return end > at ? { start, end } : undefined;
}
