/** Where a span begins or ends inside a bracket or a quotation whose other mark it lacks. */

/** By opening mark, each mark that may close it; some languages close what others open with the same mark. */
const CLOSERS: Readonly<Record<string, string>> = {
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
  "„": "“”",
  "”": "”",
  "«": "»",
  "»": "«»",
  '"': '"',
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
  return opener !== undefined && closer !== undefined && (CLOSERS[opener] ?? "").includes(closer);
}

/** Offsets of the marks in the range that have no other one in it, in ascending order. */
function loneMarks(text: string, start: number, end: number): number[] {
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
