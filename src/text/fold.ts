/**
 * Texts in the form in which quotations are compared: letters, digits and punctuation in lower case,
 * without ligatures, invisible characters and variants of quotation marks. Spaces and hyphens are
 * not in the folded text but between its units, because print moves them: "co-operate" at the end
 * of a line is "co-" and "operate".
 */

import { FIRST_MARK, isMark, marksEnd } from "./marks.js";

/** What is between two units. */
export const GAP = {
  none: 0,
  space: 1,
  /** A hyphen or dash, with or without spaces and a line break. */
  hyphen: 2,
  /** Anything, next to punctuation or in a script without spaces, where it does not divide words. */
  loose: 3,
} as const;

export interface FoldedText {
  /** UTF-16 units without spaces, hyphens and invisible characters. */
  text: string;
  /**
   * [units + 1] UTF-16 offset in the source of the character behind each unit; the last entry is the
   * source's length. A character that folds to several units ("ﬁ") has its offset in each, and so do
   * the marks that follow it.
   */
  from: Uint32Array;
  /** [units + 1] What is before each unit (`GAP`); before the first and after the last: loose. */
  gaps: Uint8Array;
}

/** A character and its marks are folded together up to this length, which no real text reaches. */
const MAX_CLUSTER_UNITS = 64;
/** Characters with several variants, mapped to one of them. */
const VARIANTS: Readonly<Record<string, string>> = {
  ...marks("\"'“”„‟«»″〝〞〟＂‘’‚‛′‹›ʼ`´＇「」『』", "'"),
  ς: "σ",
  æ: "ae",
  Æ: "ae",
  œ: "oe",
  Œ: "oe",
};
export const HYPHEN = /[-‐‑‒–—―−﹣－]/u;
export const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const DIGIT = /\p{Nd}/u;
const LETTER = /\p{L}/u;
const CURRENCY = /[$€£¥]/;
/** After a digit, as in "10²", it begins a number of its own: that is not "102". */
const RAISED = /[²³¹⁰⁴-⁹]/u;
/** Scripts without spaces between words. */
export const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function marks(all: string, one: string): Record<string, string> {
  return Object.fromEntries([...all].map((mark) => [mark, one]));
}

/** True if two gaps can be at the same place of the same words. */
export function gapsAgree(a: number, b: number): boolean {
  return a === b || a >= GAP.hyphen || b >= GAP.hyphen;
}

/** The kind of a character, for the gap before the next one. */
const PUNCTUATION = 0;
const SPACED = 1;
const ALONE = 2;

function kindOf(character: string): number {
  if (!WORD.test(character)) return PUNCTUATION;
  return UNSPACED.test(character) ? ALONE : SPACED;
}

/** Folds a text. O(text) */
export function foldText(text: string): FoldedText {
  const out = new FoldedUnits(text.length);
  let gap: number = GAP.none;
  let last = PUNCTUATION;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const lower = unit < 0x80 ? ASCII_WORDS[unit]! : 0;
    if (lower !== 0 && (at + 1 === text.length || text.charCodeAt(at + 1) < FIRST_MARK || !isMark(text, at + 1))) {
      out.putUnit(lower, at++, last === SPACED ? gap : GAP.loose);
      gap = GAP.none;
      last = SPACED;
      continue;
    }
    if (unit === 0x20) {
      if (gap === GAP.none) gap = GAP.space;
      at++;
      continue;
    }
    const code = text.codePointAt(at)!;
    const character = code > 0xffff ? text.slice(at, at + 2) : text[at]!;
    let next = at + character.length;
    if (isSpace(code, character)) {
      if (gap === GAP.none) gap = GAP.space;
    } else if (isHyphen(code, character)) {
      if (isPartOfNumber(text, at, next)) {
        out.put("-", at, GAP.loose);
        gap = GAP.none;
        last = PUNCTUATION;
      } else gap = GAP.hyphen;
    } else if (!isDropped(text, at, character)) {
      const kind = code < 0x80 ? (lower === 0 ? PUNCTUATION : SPACED) : kindOf(character);
      const raised = code > 0x7f && gap === GAP.none && RAISED.test(character) && DIGIT.test(text[at - 1] ?? "");
      const between = raised ? GAP.space : last === SPACED && kind === SPACED ? gap : GAP.loose;
      const end = isMark(text, next) ? marksEnd(text, next, at + MAX_CLUSTER_UNITS) : next;
      out.put(end === next ? foldedCharacter(code, character) : foldedCluster(text.slice(at, end)), at, between);
      gap = GAP.none;
      last = kind;
      next = end;
      if (character === text[next] && (code === 0x27 || code === 0x60)) next++; // LaTeX: ``word''
    }
    at = next;
  }
  return out.finish();
}

/** Letters in lower case and digits; 0 for other ASCII characters. */
const ASCII_WORDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[0-9A-Za-z]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

function isSpace(code: number, character: string): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x85 && SPACE.test(character));
}

function isHyphen(code: number, character: string): boolean {
  return code === 0x2d || (code > 0x2000 && HYPHEN.test(character));
}

/** True for the dash in "3–5", "3 – 5" and "−5", which is not the one in "well-known". */
function isPartOfNumber(text: string, at: number, next: number): boolean {
  let after = next;
  while (after < text.length && SPACE.test(text[after]!)) after++;
  if (after === next && CURRENCY.test(text[after] ?? "")) after++;
  const number = text[after] === "." ? after + 1 : after;
  if (number >= text.length || !DIGIT.test(text[number]!)) return false;
  let before = at - 1;
  while (before >= 0 && SPACE.test(text[before]!)) before--;
  if (before >= 0 && DIGIT.test(text[before]!)) return true;
  return (
    (after === next || CURRENCY.test(text[next]!)) &&
    (before < at - 1 || before < 0 || !WORD.test(text[before]!)) &&
    text[at - 1] !== "-"
  );
}

/** Invisible characters, and the brackets of "[T]he" and "[A] house", which mark a changed capital. */
function isDropped(text: string, at: number, character: string): boolean {
  if (character === "[") {
    const close = marksEnd(text, at + 2, at + 1 + MAX_CLUSTER_UNITS);
    if (text[close] !== "]" || !LETTER.test(text[at + 1]!)) return false;
    return LETTER.test(text[close + 1] ?? "") || isWordInBrackets(text, at, close);
  }
  if (character === "]") {
    let letter = at - 1;
    while (at - letter < MAX_CLUSTER_UNITS && isMark(text, letter)) letter--;
    if (text[letter - 1] !== "[" || !LETTER.test(text[letter]!)) return false;
    return LETTER.test(text[at + 1] ?? "") || isWordInBrackets(text, letter - 1, at);
  }
  return character > "\u00ac" && INVISIBLE.test(character);
}

/** True for "[A] house" and "[I] came". */
function isWordInBrackets(text: string, open: number, close: number): boolean {
  const isOneWord = close === open + 2 && (text[open + 1] === "A" || text[open + 1] === "I");
  return isOneWord && !WORD.test(text[open - 1] ?? "") && SPACE.test(text[close + 1] ?? "");
}

function foldedCharacter(code: number, character: string): string {
  if (code < 0x80) return code === 0x22 || code === 0x60 ? "'" : character.toLowerCase();
  let folded = foldedCharacters.get(character);
  if (folded === undefined) {
    folded = foldOnce(character);
    if (foldedCharacters.size < MAX_REMEMBERED) foldedCharacters.set(character, folded);
  }
  return folded;
}

/** Folded forms of characters other than ASCII, because normalising one takes a microsecond. */
const foldedCharacters = new Map<string, string>();
const MAX_REMEMBERED = 20_000;

function foldOnce(character: string): string {
  return VARIANTS[character] ?? decomposed(character);
}

/**
 * A character with its marks. Normalised together, marks that do not touch ("ê" with a dot below) are
 * in the same order however they were typed.
 */
function foldedCluster(cluster: string): string {
  let folded = foldedCharacters.get(cluster);
  if (folded === undefined) {
    const [first = "", ...marks] = [...cluster].filter((character) => !INVISIBLE.test(character));
    folded = decomposed((VARIANTS[first] ?? first) + marks.join(""));
    if (foldedCharacters.size < MAX_REMEMBERED) foldedCharacters.set(cluster, folded);
  }
  return folded;
}

function decomposed(text: string): string {
  const plain = text.normalize("NFKD").toLowerCase().replace(/\s/gu, "");
  // The decomposition may contain characters with variants. A lone accent decomposes to a space and a mark.
  return [...plain].map((one) => VARIANTS[one] ?? one).join("");
}

interface Scratch {
  units: Uint16Array;
  from: Uint32Array;
  gaps: Uint8Array;
}

const newScratch = (length: number): Scratch => ({
  units: new Uint16Array(length),
  from: new Uint32Array(length),
  gaps: new Uint8Array(length),
});

/** Memory that all texts share, up to this many units. */
const KEPT_UNITS = 1 << 20;
let scratch = newScratch(1 << 14);

/** Units as they are appended. */
class FoldedUnits {
  readonly #sourceLength: number;
  #count = 0;

  constructor(sourceLength: number) {
    this.#sourceLength = sourceLength;
    this.#reserve(sourceLength);
  }

  /** Appends a character of one unit, for which there is room: as much as the source has left. */
  putUnit(unit: number, at: number, gap: number): void {
    const n = this.#count++;
    scratch.units[n] = unit;
    scratch.from[n] = at;
    scratch.gaps[n] = gap;
  }

  /** Appends the units of one character. */
  put(folded: string, at: number, gap: number): void {
    if (folded.length > 1) this.#reserve(this.#count + folded.length + this.#sourceLength - at);
    for (let i = 0; i < folded.length; i++) this.putUnit(folded.charCodeAt(i), at, i === 0 ? gap : GAP.none);
  }

  finish(): FoldedText {
    const count = this.#count;
    const text = decoder.decode(scratch.units.subarray(0, count));
    const from = scratch.from.slice(0, count + 1);
    const gaps = scratch.gaps.slice(0, count + 1);
    from[count] = this.#sourceLength;
    gaps[0] = GAP.loose;
    gaps[count] = GAP.loose;
    if (scratch.units.length > KEPT_UNITS) scratch = newScratch(1 << 14);
    return { text, from, gaps };
  }

  /** Makes room for `length` units and the end. */
  #reserve(length: number): void {
    if (length < scratch.units.length) return;
    const old = scratch;
    scratch = newScratch(2 * length + 16);
    scratch.units.set(old.units.subarray(0, this.#count));
    scratch.from.set(old.from.subarray(0, this.#count));
    scratch.gaps.set(old.gaps.subarray(0, this.#count));
  }
}

/** A lone half of a surrogate pair becomes U+FFFD: one unit, as before. */
const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
