/** Where a span begins or ends inside a bracket or a quotation whose other mark it lacks. */

import { QUOTATION_CLOSERS } from "../../text/quotation-marks.js";
import type { Span } from "../../types.js";

/** By opening mark, each mark that may close it. */
const CLOSERS: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "（": "）",
  "【": "】",
  "《": "》",
  "〈": "〉",
  ...QUOTATION_CLOSERS,
};
const ALL_CLOSERS: ReadonlySet<string> = new Set(Object.values(CLOSERS).join(""));
/** Left over at an edge once a mark is gone: "(see below), " */
const LOOSE = /[\s,;:，、；：]/u;

/**
 * The range `[start, end)` with its marks in pairs: a mark that lacks its other one is completed, if
 * that one is right beside the range, and otherwise left out, if it is at an edge. A mark in the
 * middle stays. Straight quotation marks look the same on both sides, and count in twos; one
 * after a digit may mean inches.
 *
 * @returns the range as it was, if nothing else would remain
 */
export function wholeEdges(text: string, start: number, end: number): { start: number; end: number } {
  let range = { start, end };
  let lone = loneMarks(text, range);
  while (lone.length > 0) {
    // Each step leaves fewer lone marks, so that no two steps undo each other.
    const step = stepsOf(text, range, lone)
      .map((next) => ({ next, lone: loneMarks(text, next) }))
      .find((one) => one.lone.length < lone.length);
    if (step === undefined) break;
    ({ next: range, lone } = step);
    if (range.start >= range.end) return { start, end };
  }
  return range;
}

/** The ranges that complete or leave out a lone mark at an edge, best first. */
function stepsOf(text: string, { start, end }: Span, lone: readonly number[]): Span[] {
  const first = lone[0]!;
  const last = lone.at(-1)!;
  const steps: Span[] = [];
  if (isPair(text[last]!, text[end])) steps.push({ start, end: end + 1 });
  if (isPair(text[start - 1], text[first]!)) steps.push({ start: start - 1, end });
  if (first === start) steps.push({ start: skip(text, start + 1, end, 1), end });
  if (last === end - 1) steps.push({ start, end: skip(text, end - 2, start - 1, -1) + 1 });
  return steps;
}

function isPair(opener: string | undefined, closer: string | undefined): boolean {
  return opener !== undefined && closer !== undefined && (CLOSERS[opener] ?? "").includes(closer);
}

/** Offsets of the marks in the range that have no other one in it, in ascending order. */
function loneMarks(text: string, { start, end }: Span): number[] {
  const open: number[] = [];
  const lone: number[] = [];
  for (let at = start; at < end; at++) {
    const mark = text[at]!;
    if (mark === '"' && /\d/.test(text[at - 1] ?? "") && !open.some((other) => text[other] === '"')) continue;
    const partner = open.findLastIndex((other) => isPair(text[other], mark));
    if (partner >= 0) lone.push(...open.splice(partner).slice(1));
    else if (CLOSERS[mark] !== undefined) open.push(at);
    else if (ALL_CLOSERS.has(mark)) lone.push(at);
  }
  return [...lone, ...open].sort((a, b) => a - b);
}

/** The first offset from `at` on, in steps, that is not loose, or `stop`. */
function skip(text: string, at: number, stop: number, step: 1 | -1): number {
  let place = at;
  while (place !== stop && LOOSE.test(text[place]!)) place += step;
  return place;
}
