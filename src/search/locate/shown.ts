/** How much of a document is shown for an answer: its sentence, a list, or a row of a table. */

import { splitBlocks } from "../../text/blocks.js";
import { beginsItem, markKind } from "../../text/item-marks.js";
import { splitSentences } from "../../text/sentences.js";
import { hasCells, lineAround } from "../../text/table-rows.js";
import type { Span } from "../../types.js";
import { asksForName, itemAt, namedItems } from "./named-item.js";
import { askedFor } from "./question-form.js";

/**
 * `span`: the answer in its sentence. `sentence`: the sentence is the answer. `list`: the list or
 * steps that the span is in. `row`: a row of a table. `item`: an option, command or setting with its
 * description.
 */
export type Shown = "span" | "sentence" | "list" | "row" | "item";

export interface ShownRange extends Span {
  shown: Shown;
  /**
   * With `row`: the first row of the table. With `span` and `sentence`: the sentence that announces the list that the
   * answer is in ("The tenant shall not:"), without which an item may say the opposite.
   */
  header?: Span;
}

/** Longer lists are not shown whole. */
const MAX_LIST_UNITS = 1500;
const MIN_LIST_ITEMS = 2;
/** A longer sentence before a list is not shown with its items. */
const MAX_ANNOUNCEMENT_UNITS = 300;

/**
 * What to show of `text` for an answer in it. All offsets are those of `text`.
 * @param text  the answer's passage and its surroundings
 * @param place.sentence  the sentences that contain the answer
 * @param place.isRecord  the text consists of records with a blank line between them, such as rows of a CSV file
 */
export function shownRange(
  question: string,
  text: string,
  place: { answer: Span; sentence: Span; isRecord?: boolean },
): ShownRange {
  const { answer, sentence, isRecord = false } = place;
  const row = isRecord ? recordAround(text, answer) : tableRow(text, answer);
  if (row !== undefined) return row;
  const asked = askedFor(question);
  const wantsItem = asked === "steps" || asksForName(question);
  const item = wantsItem ? itemAt(namedItems(text), answer.start) : undefined;
  if (item !== undefined) return { shown: "item", ...item.item };
  if (asked === "span") return { shown: "span", ...announced(text, sentence) };
  const list = asked === "sentence" ? undefined : listAround(text, answer);
  if (list !== undefined) return { shown: "list", ...list };
  return { shown: asked === "list" ? "span" : "sentence", ...announced(text, sentence) };
}

/** What is between two blank lines. */
function recordAround(text: string, answer: Span): ShownRange | undefined {
  const before = text.lastIndexOf("\n\n", answer.start);
  const start = before < 0 ? 0 : before + 2;
  const after = text.indexOf("\n\n", answer.start);
  const end = after < 0 ? text.length : after;
  return answer.start < start || answer.end > end || end - start > MAX_LIST_UNITS
    ? undefined
    : { shown: "row", start, end };
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

/**
 * The items, or lines without a blank line between them, that an answer is in, with the line that announces them
 * ("Tools:"). The answer may be in that line too.
 */
function listAround(text: string, answer: Span): Span | undefined {
  const blocks = [...splitBlocks(text, 0, text.length)];
  const announces = (n: number): boolean => blocks[n] !== undefined && text[blocks[n].end - 1] === ":";
  const follows = (n: number): boolean => blocks[n] !== undefined && isNext(text, blocks[n - 1]!, blocks[n]!);
  let first = blocks.findIndex(({ start, end }) => start <= answer.start && answer.start < end);
  if (first < 0) return undefined;
  if (announces(first) && !follows(first + 1) && answer.end <= blocks[first]!.end) first++;
  if (blocks[first] === undefined) return undefined;
  let last = first;
  while (follows(last + 1)) last++;
  while (first > 0 && follows(first)) first--;
  if (last - first + 1 < MIN_LIST_ITEMS || answer.end > blocks[last]!.end) return undefined;
  if (announces(first - 1)) first--;
  const range = { start: blocks[first]!.start, end: blocks[last]!.end };
  return range.end - range.start > MAX_LIST_UNITS ? undefined : range;
}

/** The sentence with what announces its list, if it is in one. */
function announced(text: string, sentence: Span): Omit<ShownRange, "shown"> {
  const header = announcement(text, sentence);
  return header === undefined ? sentence : { ...sentence, header };
}

/** The sentence with a colon above the list that a sentence is in, if it is in one. */
function announcement(text: string, sentence: Span): Span | undefined {
  const blocks = [...splitBlocks(text, 0, text.length)];
  const isItem = ({ start, end }: Span): boolean => beginsItem(text.slice(start, end), "");
  let at = blocks.findIndex(({ start, end }) => start <= sentence.start && sentence.start < end);
  while (at > 0 && isItem(blocks[at]!)) {
    const above = blocks[--at]!;
    if (text[above.end - 1] !== ":") continue;
    const { start } = splitSentences(text.slice(above.start, above.end)).at(-1)!;
    return above.end - above.start - start > MAX_ANNOUNCEMENT_UNITS
      ? undefined
      : { start: above.start + start, end: above.end };
  }
  return undefined;
}

/**
 * True if the second block is on the line after the first, or both are items of one list, with a blank line between
 * them.
 */
function isNext(text: string, first: Span, second: Span): boolean {
  const between = text.slice(first.end, second.start);
  if (between.trim() !== "") return false;
  if ((between.match(/\n/g)?.length ?? 0) === 1) return true;
  const [kind, next] = [first, second].map(({ start, end }) => markKind(text.slice(start, end)));
  return kind !== undefined && kind === next;
}
