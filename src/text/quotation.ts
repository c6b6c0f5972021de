/**
 * Finds a quotation in a text: first character by character, then ignoring differences in white space,
 * quotation marks, dashes, case and Unicode normalisation. The words must be the same.
 */

import type { Span } from "../types.js";

export interface FoundQuotation {
  /** True if the characters are identical. */
  exact: boolean;
  /** Ranges in UTF-16 units, in order of the text; never empty. */
  places: Span[];
}

/** Characters with several variants, mapped to one of them. */
const SAME_MARKS: Readonly<Record<string, string>> = {
  ...marks('"“”„‟«»″〝〞〟＂', '"'),
  ...marks("'‘’‚‛′‹›ʼ`´＇", "'"),
  ...marks("-‐‑‒–—―−﹣－", "-"),
  ς: "σ",
};
/** Ignored, because they are invisible. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/u;
const WHITE_SPACE = /\s/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function marks(all: string, one: string): Record<string, string> {
  return Object.fromEntries([...all].map((mark) => [mark, one]));
}

/** A text in the form that is compared, with the origin of each unit. */
interface Folded {
  text: string;
  /** [units + 1] UTF-16 offset in the source of the character behind each unit; the last entry is the source's length. */
  from: Uint32Array;
}

/** A quotation prepared for searching many texts. Leading and trailing white space is ignored. */
export class Quotation {
  readonly #exact: string;
  readonly #folded: string;

  constructor(quotation: string) {
    this.#exact = quotation.trim();
    this.#folded = fold(this.#exact).text.trim();
  }

  /** True if nothing is left to search for. */
  get isEmpty(): boolean {
    return this.#folded === "";
  }

  /**
   * Finds the quotation in `text` as whole words. The relaxed form is tried only if the exact one is not
   * found. O(text)
   * @param limit  maximum number of ranges, ≥ 1
   * @returns undefined if the text does not contain it
   */
  findIn(text: string, limit = 10): FoundQuotation | undefined {
    if (this.isEmpty) return undefined;
    const exact: Span[] = [];
    for (const start of occurrences(text, this.#exact)) {
      const end = start + this.#exact.length;
      if (isWhole(text, start, end)) exact.push({ start, end });
      if (exact.length === limit) break;
    }
    if (exact.length > 0) return { exact: true, places: exact };
    const places = this.#findFolded(text, limit);
    return places.length === 0 ? undefined : { exact: false, places };
  }

  #findFolded(text: string, limit: number): Span[] {
    const places: Span[] = [];
    const { text: folded, from } = fold(text);
    for (const at of occurrences(folded, this.#folded)) {
      const start = from[at]!;
      const last = at + this.#folded.length - 1;
      if (at > 0 && from[at - 1] === start) continue; // starts inside a character
      if (from[last + 1] === from[last]) continue; // ends inside a character
      const end = characterEnd(text, from[last]!);
      if (isWhole(text, start, end)) places.push({ start, end });
      if (places.length === limit) break;
    }
    return places;
  }
}

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

const decoder = new TextDecoder("utf-16le");

/** Collapses white space, unifies variants, lower-cases and decomposes letters (NFKD), drops invisible characters. */
function fold(text: string): Folded {
  let units = new Uint16Array(text.length + 16);
  let from = new Uint32Array(text.length + 17);
  let count = 0;
  const put = (unit: number, at: number): void => {
    if (count === units.length) {
      units = grown(units, new Uint16Array(count * 2));
      from = grown(from, new Uint32Array(count * 2 + 1));
    }
    units[count] = unit;
    from[count++] = at;
  };
  let space = false;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const length = code > 0xffff ? 2 : 1;
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && WHITE_SPACE.test(text[at]!))) {
      if (!space) put(0x20, at);
      space = true;
    } else if (code < 0x80) {
      space = false;
      put(code >= 0x41 && code <= 0x5a ? code + 32 : code === 0x60 ? 0x27 : code, at);
    } else {
      const character = text.slice(at, at + length);
      if (!INVISIBLE.test(character)) {
        space = false;
        const plain = foldedCharacter(character);
        for (let i = 0; i < plain.length; i++) put(plain.charCodeAt(i), at);
      }
    }
    at += length;
  }
  from[count] = text.length;
  return { text: decoder.decode(units.subarray(0, count)), from };
}

function foldedCharacter(character: string): string {
  const mark = SAME_MARKS[character];
  if (mark !== undefined) return mark;
  if (character === "…") return "...";
  const small = character.normalize("NFKD").toLowerCase();
  return small.replace(/[“”„‟«»″]/gu, '"').replace(/ς/gu, "σ");
}

function grown<T extends Uint16Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
