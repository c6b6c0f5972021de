/** How much of a document is shown for an answer: its sentence, a list, or a row of a table. */

import { splitBlocks } from "../../text/blocks.js";
import type { Span } from "../../types.js";

/**
 * `span`: the answer in its sentence. `sentence`: the sentence is the answer. `list`: the list or
 * steps that the span is in. `row`: a row of a table.
 */
export type Shown = "span" | "sentence" | "list" | "row";

export interface ShownRange extends Span {
  shown: Shown;
  /** Of a row: the first row of its table. */
  header?: Span;
}

/** Longer lists are not shown whole. */
const MAX_LIST_UNITS = 1500;
const MIN_LIST_ITEMS = 2;
const CELLS = " | ";

/** "how many", "how long": a measure, which is a span. */
const MEASURE =
  /^how\s+(?:many|much|long|far|old|often|big|tall|high|wide|deep|fast|soon|late|early|large|heavy|thick|hot|cold)\b/i;
const LONG_ANSWER = /^(?:why|how|explain|describe|define|what\s+happens|what\s+(?:does|do)\b.*\b(?:mean|do)\b)/i;
const ASKS_FOR_LIST =
  /^(?:how\s+(?:do|can|should|to|would)\b|list\b|name\s+(?:all|the)\b|what\s+are\b|(?:what|which)\s+\w+s\s+(?:are|do|can|have|were|must|should)\b|steps\b)/i;
const YES_OR_NO =
  /^(?:is|are|was|were|do|does|did|can|could|may|must|should|has|have|had|will|would|am|isn't|aren't|don't|doesn't)\s/i;

/** What the form of a question asks for. Rules for English; other questions ask for a span. */
export function askedFor(question: string): "span" | "sentence" | "list" {
  const text = question.trim();
  if (MEASURE.test(text)) return "span";
  if (ASKS_FOR_LIST.test(text)) return "list";
  return LONG_ANSWER.test(text) || YES_OR_NO.test(text) ? "sentence" : "span";
}

/**
 * What to show of `text` for an answer in it. All offsets are those of `text`.
 * @param text  the answer's passage and its surroundings
 * @param sentence  the sentences that contain the answer
 */
export function shownRange(question: string, text: string, place: { answer: Span; sentence: Span }): ShownRange {
  const { answer, sentence } = place;
  const row = tableRow(text, answer);
  if (row !== undefined) return row;
  const asked = askedFor(question);
  if (asked === "span") return { shown: "span", ...sentence };
  const asksHow = /^how\b/i.test(question.trim());
  const list = asked === "list" || asksHow ? listAround(text, answer) : undefined;
  if (list !== undefined) return { shown: "list", ...list };
  return { shown: asked === "list" && !asksHow ? "span" : "sentence", ...sentence };
}

/** The line with an answer, if it and the next or previous line have cells. */
function tableRow(text: string, answer: Span): ShownRange | undefined {
  const row = lineAround(text, answer.start);
  if (answer.end > row.end || !hasCells(text, row)) return undefined;
  let first = row;
  while (first.start > 0) {
    const above = lineAround(text, first.start - 1);
    if (!hasCells(text, above)) break;
    first = above;
  }
  const below = row.end < text.length ? lineAround(text, row.end + 1) : undefined;
  if (first === row && (below === undefined || !hasCells(text, below))) return undefined;
  const { start, end } = first;
  return { shown: "row", ...row, ...(first === row ? {} : { header: { start, end } }) };
}

function lineAround(text: string, at: number): Span {
  const end = text.indexOf("\n", at);
  return { start: text.lastIndexOf("\n", at - 1) + 1, end: end < 0 ? text.length : end };
}

function hasCells(text: string, { start, end }: Span): boolean {
  return text.slice(start, end).includes(CELLS);
}

/** The lines without a blank line between them that an answer is in, with the line that announces them. */
function listAround(text: string, answer: Span): Span | undefined {
  const blocks = [...splitBlocks(text, 0, text.length)];
  const at = blocks.findIndex(({ start, end }) => start <= answer.start && answer.end <= end);
  if (at < 0) return undefined;
  const follows = (n: number): boolean => blocks[n] !== undefined && isNextLine(text, blocks[n - 1]!, blocks[n]!);
  let first = at;
  while (first > 0 && follows(first)) first--;
  let last = at;
  while (follows(last + 1)) last++;
  if (last - first + 1 < MIN_LIST_ITEMS) return undefined;
  const before = blocks[first - 1];
  if (before !== undefined && text[before.end - 1] === ":") first--;
  const range = { start: blocks[first]!.start, end: blocks[last]!.end };
  return range.end - range.start > MAX_LIST_UNITS ? undefined : range;
}

/** True if the second block is on the line after the first. */
function isNextLine(text: string, first: Span, second: Span): boolean {
  const between = text.slice(first.end, second.start);
  return between.trim() === "" && (between.match(/\n/g)?.length ?? 0) === 1;
}
