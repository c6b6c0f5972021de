/**
 * Finds a quotation in a text: first character by character, then ignoring differences in white space,
 * case, hyphens, ligatures, quotation marks and Unicode normalisation. The words must be the same.
 */

import type { Span } from "../types.js";
import { type FoldedText, foldText, gapsAgree } from "./fold.js";

export interface FoundQuotation {
  /** True if the characters are identical, however the lines are broken. */
  exact: boolean;
  /** Ranges in UTF-16 units, in order of the text; never empty. */
  places: Span[];
}

const WORD = /[\p{L}\p{N}\p{M}]/u;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A quotation prepared for searching many texts. Leading and trailing white space is ignored. */
export class Quotation {
  readonly #exact: string;
  readonly #folded: FoldedText;
  /** What is between the single spaces and line breaks of the exact form. */
  readonly #parts: readonly string[];
  /** UTF-16 units of the exact form with a space for every line break. */
  readonly #shortest: number;
  readonly #longestWord: string;

  constructor(quotation: string) {
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

  /** Length of the folded form, in UTF-16 units. */
  get length(): number {
    return this.#folded.text.length;
  }

  /**
   * Finds the quotation in `text` as whole words. The relaxed form is tried only if the exact one is not
   * found. O(text)
   * @param options.limit  maximum number of ranges, ≥ 1; default 10
   * @param options.folded  returns `foldText(text)`, for callers that look for several quotations in one text
   * @returns undefined if the text does not contain it
   */
  findIn(text: string, options: { limit?: number; folded?: () => FoldedText } = {}): FoundQuotation | undefined {
    const { limit = 10, folded = () => foldText(text) } = options;
    if (this.isEmpty) return undefined;
    const exact: Span[] = [];
    for (const [start, end] of this.#exactly(text)) {
      if (isWhole(text, start, end)) exact.push({ start, end });
      if (exact.length === limit) break;
    }
    if (exact.length > 0) return { exact: true, places: exact };
    const places = this.#findFolded(text, folded(), limit);
    return places.length === 0 ? undefined : { exact: false, places };
  }

  /** Where the same characters are; a line break and the spaces around it are one space. */
  *#exactly(text: string): Generator<[start: number, end: number]> {
    if (!text.includes(this.#longestWord)) return; // far faster than trying every first word
    for (const start of occurrences(text, this.#parts[0]!)) {
      if (start + this.#shortest > text.length) return;
      const end = this.#endFrom(text, start);
      if (end !== undefined) yield [start, end];
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

  #findFolded(text: string, { text: units, from, gaps }: FoldedText, limit: number): Span[] {
    const wanted = this.#folded;
    const places: Span[] = [];
    for (const at of occurrences(units, wanted.text)) {
      const start = from[at]!;
      const last = at + wanted.text.length - 1;
      if (at > 0 && from[at - 1] === start) continue; // starts inside a character
      if (from[last + 1] === from[last]) continue; // ends inside a character
      if (!sameGaps(gaps, at, wanted)) continue;
      const end = characterEnd(text, from[last]!);
      if (isWhole(text, start, end)) places.push({ start, end });
      if (places.length === limit) break;
    }
    return places;
  }
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

/** Start offsets of `needle`, overlapping matches included. */
function* occurrences(text: string, needle: string): Generator<number> {
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) yield at;
}

/** True if a match cuts no word: "was found" is not in "was founded", nor "e" in a decomposed "é". */
function isWhole(text: string, start: number, end: number): boolean {
  return isBoundary(text, start) && isBoundary(text, end);
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const after = String.fromCodePoint(text.codePointAt(at)!);
  const before = characterBefore(text, at);
  if (before === undefined) return false; // inside a surrogate pair
  if (!WORD.test(before) || !WORD.test(after)) return true;
  return !/\p{M}/u.test(after) && (UNSPACED.test(before) || UNSPACED.test(after));
}

function characterBefore(text: string, at: number): string | undefined {
  const unit = text.charCodeAt(at - 1);
  const low = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
  const high = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
  if (high(unit) && low(text.charCodeAt(at))) return undefined;
  return low(unit) && at > 1 && high(text.charCodeAt(at - 2)) ? text.slice(at - 2, at) : text[at - 1];
}

function characterEnd(text: string, start: number): number {
  return start + (text.codePointAt(start)! > 0xffff ? 2 : 1);
}
