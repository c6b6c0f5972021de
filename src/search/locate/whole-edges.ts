/** Where a span begins or ends inside a bracket or a quotation whose other mark it lacks. */

const CLOSER: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "（": "）",
  "【": "】",
  "「": "」",
  "『": "』",
  "《": "》",
  "〈": "〉",
  "“": "”",
  "«": "»",
};
const OPENER: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CLOSER).map(([opener, closer]) => [closer, opener]),
);
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
  let from = start;
  let to = end;
  for (let lone = loneMarks(text, from, to); lone.length > 0; lone = loneMarks(text, from, to)) {
    const first = lone[0]!;
    const last = lone.at(-1)!;
    if (isPair(text[last]!, text[to])) to++;
    else if (isPair(text[from - 1], text[first]!)) from--;
    else if (first === from) from = skip(text, from + 1, to, 1);
    else if (last === to - 1) to = skip(text, to - 2, from - 1, -1) + 1;
    else break;
    if (from >= to) return { start, end };
  }
  return { start: from, end: to };
}

function isPair(opener: string | undefined, closer: string | undefined): boolean {
  if (opener === undefined || closer === undefined) return false;
  return opener === '"' ? closer === '"' : CLOSER[opener] === closer;
}

/** Offsets of the marks in the range that have no other one in it, in ascending order. */
function loneMarks(text: string, start: number, end: number): number[] {
  const open: number[] = [];
  const lone: number[] = [];
  for (let at = start; at < end; at++) {
    const mark = text[at]!;
    if (mark === '"' && /\d/.test(text[at - 1] ?? "") && !open.some((other) => text[other] === '"')) continue;
    const opener = mark === '"' ? '"' : OPENER[mark];
    const partner = opener === undefined ? -1 : open.findLastIndex((other) => text[other] === opener);
    if (partner >= 0) lone.push(...open.splice(partner).slice(1));
    else if (CLOSER[mark] !== undefined || mark === '"') open.push(at);
    else if (opener !== undefined) lone.push(at);
  }
  return [...lone, ...open].sort((a, b) => a - b);
}

/** The first offset from `at` on, in steps, that is not loose, or `stop`. */
function skip(text: string, at: number, stop: number, step: 1 | -1): number {
  let place = at;
  while (place !== stop && LOOSE.test(text[place]!)) place += step;
  return place;
}
