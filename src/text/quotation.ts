/**
 * Finds a quotation in a text: first character by character, then ignoring differences in white space,
 * case, hyphens, ligatures, quotation marks and Unicode normalisation. The words must be the same.
 */

import type { Span } from "../types.js";
import { countAtMost } from "../vectors/ascending.js";
import { type FoldedText, foldText, gapsAgree, INVISIBLE, UNSPACED } from "./fold.js";
import { marksEnd } from "./marks.js";

export interface FoundQuotation {
  /** True if the characters are identical, however the lines are broken. */
  exact: boolean;
  /** Ranges in UTF-16 units, in order of the text; never empty. */
  places: Span[];
}

/** One place of a quotation. */
export interface QuotationPlace extends Span {
  exact: boolean;
}

/** Forms of a text for callers that look for several quotations in it. */
export interface FoldedForms {
  /** `foldText(text)` */
  folded: () => FoldedText;
  /** The same without marks of list items; undefined if there are none. */
  withoutMarks: () => FoldedText | undefined;
}

const WORD = /[\p{L}\p{N}\p{M}]/u;

/** A quotation prepared for searching many texts. Leading and trailing white space is ignored. */
export class Quotation {
  readonly #exact: string;
  readonly #folded: FoldedText;
  /** What is between the single spaces and line breaks of the exact form. */
  readonly #parts: readonly string[];
  /** UTF-16 units of the exact form with a space for every line break. */
  readonly #shortest: number;
  readonly #longestWord: string;
  readonly #mayEndInHangul: boolean;

  /** @param options.mayEndInHangul  Korean particles are attached to words: "관측소" also matches in "관측소는"; default false */
  constructor(quotation: string, { mayEndInHangul = false }: { mayEndInHangul?: boolean } = {}) {
    this.#mayEndInHangul = mayEndInHangul;
    this.#exact = quotation.trim();
    this.#folded = foldText(this.#exact);
    this.#longestWord = this.#exact.split(/\s+/).reduce((best, word) => (word.length > best.length ? word : best));
    const unbroken = this.#exact.replace(LINE_BREAK, " ");
    this.#parts = unbroken.split(/(?<!\s) (?!\s)/);
    this.#shortest = unbroken.length;
  }

  /** True if nothing is left to search for. */
  get isEmpty(): boolean {
    return this.#folded.text === "";
  }

  /**
   * Finds the quotation in `text` as whole words. The relaxed form is tried only if the exact one is not
   * found. O(text)
   * @param options.limit  maximum number of ranges, ≥ 1; default 10
   * @param options.from  offset before which no range begins; default 0
   * @param options.folded, options.withoutMarks  see FoldedForms; default: `foldText(text)` alone
   * @returns undefined if the text does not contain it
   */
  findIn(
    text: string,
    options: { limit?: number; from?: number } & Partial<FoldedForms> = {},
  ): FoundQuotation | undefined {
    const { limit = 10, from = 0, folded = () => foldText(text), withoutMarks = () => undefined } = options;
    if (this.isEmpty) return undefined;
    const exact = firstOf(this.#exactly(text, from), limit);
    if (exact.length > 0) return { exact: true, places: exact };
    let places = firstOf(this.#sameWords(text, { folded: folded(), from }), limit);
    if (places.length === 0) {
      const bare = withoutMarks();
      if (bare !== undefined) places = firstOf(this.#sameWords(text, { folded: bare, from }), limit);
    }
    return places.length === 0 ? undefined : { exact: false, places };
  }

  /** The first place of either form at or after `from`; the exact one if both begin there. O(text) */
  firstIn(text: string, { from, folded, withoutMarks }: { from: number } & FoldedForms): QuotationPlace | undefined {
    if (this.isEmpty) return undefined;
    const [exact] = firstOf(this.#exactly(text, from), 1);
    if (exact?.start === from) return { ...exact, exact: true };
    const [sameWords] = firstOf(this.#sameWords(text, { folded: folded(), from, to: exact?.start }), 1);
    if (sameWords !== undefined) return { ...sameWords, exact: false };
    if (exact !== undefined) return { ...exact, exact: true };
    const bare = withoutMarks();
    const [unmarked] = bare === undefined ? [] : firstOf(this.#sameWords(text, { folded: bare, from }), 1);
    return unmarked && { ...unmarked, exact: false };
  }

  /** Where the same characters are; a line break and the spaces around it are one space. */
  *#exactly(text: string, from: number): Generator<Span> {
    if (text.indexOf(this.#longestWord, from) < 0) return; // far faster than trying every first word
    for (const start of occurrences(text, this.#parts[0]!, from)) {
      if (start + this.#shortest > text.length) return;
      const end = this.#endFrom(text, start);
      if (end !== undefined && this.#isWhole(text, start, end)) yield { start, end };
    }
  }

  /** The end of the quotation if it begins at `start`. */
  #endFrom(text: string, start: number): number | undefined {
    let end = start + this.#parts[0]!.length;
    for (let n = 1; n < this.#parts.length; n++) {
      SPACE.lastIndex = end;
      if (!SPACE.test(text) || !text.startsWith(this.#parts[n]!, SPACE.lastIndex)) return undefined;
      end = SPACE.lastIndex + this.#parts[n]!.length;
    }
    return end;
  }

  /** Where the same words are, with a start in `[from, to)`. */
  *#sameWords(
    text: string,
    { folded, from, to = text.length }: { folded: FoldedText; from: number; to?: number | undefined },
  ): Generator<Span> {
    const wanted = this.#folded;
    const { text: units, from: offsets, gaps } = folded;
    const first = from === 0 ? 0 : countAtMost(offsets, from - 1);
    for (const at of occurrences(units, wanted.text, first)) {
      const start = offsets[at]!;
      if (start >= to) return;
      const last = at + wanted.text.length - 1;
      if (at > 0 && offsets[at - 1] === start) continue; // starts inside a character
      if (offsets[last + 1] === offsets[last]) continue; // ends inside a character
      if (!sameGaps(gaps, at, wanted)) continue;
      const end = characterEnd(text, offsets[last]!, offsets[last + 1]!);
      if (this.#isWhole(text, start, end)) yield { start, end };
    }
  }

  /** True if a match cuts no word: "was found" is not in "was founded", nor "e" in a decomposed "é". */
  #isWhole(text: string, start: number, end: number): boolean {
    return isBoundary(text, start) && (isBoundary(text, end) || (this.#mayEndInHangul && isInHangul(text, end)));
  }
}

function firstOf(places: Iterable<Span>, limit: number): Span[] {
  const first: Span[] = [];
  for (const place of places) if (first.push(place) === limit) break;
  return first;
}

/** True if the words are divided at the same places: "now here" is not "nowhere". */
function sameGaps(gaps: Uint8Array, at: number, wanted: FoldedText): boolean {
  for (let n = 1; n < wanted.text.length; n++) if (!gapsAgree(gaps[at + n]!, wanted.gaps[n]!)) return false;
  return true;
}

/** A line break with the spaces around it. */
const LINE_BREAK = /(?<![ \t])(?:[ \t]*\r?\n)+[ \t]*/g;
/** A space or a line break. */
const SPACE = /(?:[ \t]*\r?\n)+[ \t]*| /y;

/** Start offsets of `needle` from `from` on, overlapping matches included. */
function* occurrences(text: string, needle: string, from: number): Generator<number> {
  for (let at = text.indexOf(needle, from); at !== -1; at = text.indexOf(needle, at + 1)) yield at;
}

const HANGUL_SYLLABLE = /[가-힣]/;

/** True between two whole syllables of a Korean word. */
function isInHangul(text: string, at: number): boolean {
  return HANGUL_SYLLABLE.test(text[at - 1]!) && HANGUL_SYLLABLE.test(text[at]!);
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const after = String.fromCodePoint(text.codePointAt(at)!);
  const before = characterBefore(text, at);
  if (before === undefined) return false; // inside a surrogate pair
  if (dividesWritten(text, at)) return false;
  if (!WORD.test(before) || !WORD.test(after)) return true;
  return !/\p{M}/u.test(after) && (UNSPACED.test(before) || UNSPACED.test(after));
}

/** Text that changes its meaning if it is divided where `¦` is. */
const UNDIVIDED: ReadonlyArray<readonly [before: RegExp, after: RegExp]> = [
  [/\p{Nd}$/u, /^[.,:]\p{Nd}/u], // 12¦,400
  [/\p{Nd}[.,:]$/u, /^\p{Nd}/u], // 0.¦5
  [/(?:^|[^\p{L}\p{N}])[-−–]$/u, /^[$€£¥]?\.?\p{N}/u], // -¦5
  [/\p{L}$/u, /^['’]t(?:[^\p{L}]|$)/u], // can¦'t
  [/(?:^|[^\p{L}])(?:non|un|anti)[-‐‑]$/iu, /^\p{L}/u], // non-¦toxic
  [/[\p{L}\p{N}][._%+-]$/u, /^[\p{L}\p{N}._%+-]+@/u], // jim.¦bob@example.org
  [/@[\p{L}\p{N}.-]+$/u, /^\.[\p{L}\p{N}]/u], // bob@example¦.org
];
/** UTF-16 units on either side that these expressions see. */
const UNDIVIDED_UNITS = 66;

/** True in a number, between it and its sign, in "can't", in an e-mail address, and in a word with a soft hyphen. */
function dividesWritten(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - UNDIVIDED_UNITS), at);
  const after = text.slice(at, at + UNDIVIDED_UNITS);
  if (UNDIVIDED.some(([left, right]) => right.test(after) && left.test(before))) return true;
  let first = at;
  let next = at;
  while (INVISIBLE.test(text[first - 1] ?? "")) first--;
  while (INVISIBLE.test(text[next] ?? "")) next++;
  return first < next && WORD.test(text[first - 1] ?? "") && WORD.test(text[next] ?? "");
}

function characterBefore(text: string, at: number): string | undefined {
  const unit = text.charCodeAt(at - 1);
  const low = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
  const high = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
  if (high(unit) && low(text.charCodeAt(at))) return undefined;
  return low(unit) && at > 1 && high(text.charCodeAt(at - 2)) ? text.slice(at - 2, at) : text[at - 1];
}

/** The end of the character at `start` with its marks, which is at most `next`. */
function characterEnd(text: string, start: number, next: number): number {
  return marksEnd(text, start + (text.codePointAt(start)! > 0xffff ? 2 : 1), next);
}
