/** Pairs of quotation marks in a paragraph: straight, English, German, French, Nordic and East Asian ones. */

import type { Span } from "../types.js";
import { isUnspaced } from "./blocks.js";

/** The closing marks of each opening mark; some languages close what others open with the same mark. */
export const QUOTATION_CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“”",
  "”": "”",
  "«": "»",
  "»": "«»",
  "‹": "›",
  "「": "」",
  "『": "』",
};
/** Single marks, which are apostrophes as well, and count only around several words. */
const SINGLE_CLOSERS: Readonly<Record<string, string>> = { "‘": "’", "‚": "‘’", "'": "'" };
const SINGLE_WORDS = 3;
/** Opening marks that may also be closing marks, inches or apostrophes: after a letter they do not open. */
const AMBIGUOUS = "\"'‘‚”»";
/** Letters that are written without a space before a quotation mark, or after it, as Korean particles are. */
const WITHOUT_SPACES = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;
/** What may follow a closing mark, or an inch, but hardly begins a quotation. */
const FOLLOWS_QUOTATION = /[\s.,;:!?)\]}\-–、。，；：！？）】》」』]/u;
/** Marks inside marks inside marks … */
const MAX_DEPTH = 16;

interface MarkedRanges {
  /** Ranges between two marks, without them; a quotation inside a quotation is part of it. */
  inside: Span[];
  /** Offsets of marks that are not closed in the paragraph. */
  unclosed: number[];
}

/** Ranges between double marks; a mark that is not closed is text. O(text) */
export function doubleMarkedRanges(text: string): Span[] {
  return pairs(text, QUOTATION_CLOSERS, () => true).inside;
}

/** @param text  a paragraph, code blanked. O(text) */
export function markedRanges(text: string): MarkedRanges {
  const doubles = pairs(text, QUOTATION_CLOSERS, () => true);
  const taken = new Uint8Array(text.length);
  for (const { start, end } of doubles.inside) taken.fill(1, start - 1, end + 1);
  const singles = pairs(text, SINGLE_CLOSERS, (at) => taken[at] === 0);
  const several = singles.inside.filter(({ start, end }) => {
    return countWords(text.slice(start, end).trim()) >= SINGLE_WORDS && !taken.subarray(start, end).includes(1);
  });
  const inside = [...doubles.inside, ...several].sort((a, b) => a.start - b.start);
  return { inside, unclosed: doubles.unclosed };
}

interface Open {
  mark: string;
  at: number;
}

function pairs(text: string, closers: Readonly<Record<string, string>>, counts: (at: number) => boolean): MarkedRanges {
  const all = new Set(Object.entries(closers).flatMap(([open, close]) => [open, ...close]));
  const inside: Span[] = [];
  const unclosed: number[] = [];
  const inches = closers === QUOTATION_CLOSERS ? inchesIn(text) : NONE;
  let stack: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]!;
    if (!all.has(mark) || !counts(at)) continue;
    if (stack.length === 1 && inches.has(at)) continue;
    const level = closable(text, at) ? stack.findLastIndex((open) => closers[open.mark]!.includes(mark)) : -1;
    if (level >= 0) {
      if (level === 0) inside.push({ start: stack[0]!.at + 1, end: at });
      stack = stack.slice(0, level);
    } else if (closers[mark] !== undefined && opens(text, at) && stack.length < MAX_DEPTH) {
      // an apostrophe that looks like an opening mark must not hide the next quotation
      if (closers === SINGLE_CLOSERS) stack = [];
      stack.push({ mark, at });
    }
  }
  if (stack[0] !== undefined) unclosed.push(stack[0].at);
  return { inside, unclosed };
}

const NONE: ReadonlySet<number> = new Set();
/** Closing marks that are written for inches as well. */
const INCH_MARKS = '"”';

/**
 * Offsets of marks after a number that are inches if one quotation is open: a mark that can only close follows before
 * one that may open, as in "a 12" disk". O(text)
 */
function inchesIn(text: string): ReadonlySet<number> {
  if (!/\p{N}["”]/u.test(text)) return NONE;
  const inches = new Set<number>();
  for (const mark of INCH_MARKS) {
    let closesNext = false;
    for (let at = text.length - 1; at >= 0; at--) {
      const unit = text[at]!;
      if (unit !== mark && !QUOTATION_CLOSERS[unit]?.includes(mark)) continue;
      const before = text[at - 1] ?? " ";
      if (unit !== mark || !/\p{N}/u.test(before))
        closesNext = unit === mark && !/\s/u.test(before) && !opens(text, at) && closable(text, at);
      else if (closesNext) inches.add(at);
    }
  }
  return inches;
}

/** True if a word or another mark begins after the mark, and it cannot be the end of a quotation. */
function opens(text: string, at: number): boolean {
  const mark = text[at]!;
  const before = text[at - 1] ?? " ";
  const after = text[at + 1] ?? " ";
  if (!/[\p{L}\p{N}]/u.test(before)) {
    const spaced = mark === "«" || mark === "»" || mark === "„";
    return !/\s/u.test(after) || (spaced && at + 1 < text.length);
  }
  if (FOLLOWS_QUOTATION.test(after)) return false;
  return !AMBIGUOUS.includes(mark) || WITHOUT_SPACES.test(before);
}

/** A mark between two letters is an apostrophe; a straight one after a space can only open. */
function closable(text: string, at: number): boolean {
  const mark = text[at]!;
  const after = text[at + 1] ?? " ";
  if (/\p{L}/u.test(after) && !WITHOUT_SPACES.test(after) && /['’‘]/u.test(mark)) return false;
  return !(/["'”’]/u.test(mark) && /\s/u.test(text[at - 1] ?? " ") && !/\s|\p{P}/u.test(after));
}

/**
 * Number of words: runs between white space. In scripts without spaces, two characters count as one word, the usual
 * length of a word in Chinese.
 */
export function countWords(text: string): number {
  let spaced = 0;
  let characters = 0;
  for (const run of text.split(/\s+/u)) {
    const unspaced = Array.from(run).filter((character) => isUnspaced(character.charCodeAt(0))).length;
    characters += unspaced;
    if (unspaced < run.length) spaced++;
  }
  return spaced + Math.ceil(characters / 2);
}
