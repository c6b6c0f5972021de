/**
 * Texts in the form in which quotations are compared: letters, digits and punctuation in lower case,
 * without ligatures, invisible characters and variants of quotation marks. Spaces and hyphens are
 * not in the folded text but between its units, because print moves them: "co-operate" at the end
 * of a line is "co-" and "operate".
 */

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
   * source's length. A character that folds to several units ("ﬁ") has its offset in each.
   */
  from: Uint32Array;
  /** [units + 1] What is before each unit (`GAP`); before the first and after the last: loose. */
  gaps: Uint8Array;
}

/** Characters with several variants, mapped to one of them. */
const VARIANTS: Readonly<Record<string, string>> = {
  ...marks("\"'“”„‟«»″〝〞〟＂‘’‚‛′‹›ʼ`´＇「」『』", "'"),
  ς: "σ",
  æ: "ae",
  Æ: "ae",
  œ: "oe",
  Œ: "oe",
};
const HYPHEN = /[-‐‑‒–—―−﹣－]/u;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/u;
const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const DIGIT = /\p{Nd}/u;
const LETTER = /\p{L}/u;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

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
    const code = text.codePointAt(at)!;
    const character = code > 0xffff ? text.slice(at, at + 2) : text[at]!;
    const next = at + character.length;
    if (isSpace(code, character)) {
      if (gap === GAP.none) gap = GAP.space;
    } else if (isHyphen(code, character)) {
      if (isPartOfNumber(text, at, next)) {
        out.put("-", at, GAP.loose);
        gap = GAP.none;
        last = PUNCTUATION;
      } else gap = GAP.hyphen;
    } else if (!isDropped(text, at, character)) {
      const kind = code < 0x80 ? (isAsciiWord(code) ? SPACED : PUNCTUATION) : kindOf(character);
      const between = last === SPACED && kind === SPACED ? gap : GAP.loose;
      out.put(foldedCharacter(code, character), at, between);
      gap = GAP.none;
      last = kind;
      if (character === text[next] && (code === 0x27 || code === 0x60)) at++; // LaTeX: ``word''
    }
    at = Math.max(next, at + 1);
  }
  return out.finish(text.length);
}

function isSpace(code: number, character: string): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x85 && SPACE.test(character));
}

function isHyphen(code: number, character: string): boolean {
  return code === 0x2d || (code > 0x2000 && HYPHEN.test(character));
}

function isAsciiWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** True for the dash in "3–5", "3 – 5" and "−5", which is not the one in "well-known". */
function isPartOfNumber(text: string, at: number, next: number): boolean {
  let after = next;
  while (after < text.length && SPACE.test(text[after]!)) after++;
  if (after === text.length || !DIGIT.test(text[after]!)) return false;
  let before = at - 1;
  while (before >= 0 && SPACE.test(text[before]!)) before--;
  if (before >= 0 && DIGIT.test(text[before]!)) return true;
  return after === next && (before < at - 1 || before < 0 || !WORD.test(text[before]!)) && text[at - 1] !== "-";
}

/** Invisible characters, and the brackets of "[T]he", which mark a changed capital. */
function isDropped(text: string, at: number, character: string): boolean {
  if (character === "[") return text[at + 2] === "]" && LETTER.test(text[at + 1]!) && LETTER.test(text[at + 3] ?? "");
  if (character === "]") return text[at - 2] === "[" && LETTER.test(text[at - 1]!) && LETTER.test(text[at + 1] ?? "");
  return INVISIBLE.test(character);
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
  const variant = VARIANTS[character];
  if (variant !== undefined) return variant;
  const plain = character.normalize("NFKD").toLowerCase().replace(/\s/gu, "");
  // what a compatibility character stands for may itself have variants; a lone accent is only a space and a mark
  return [...plain].map((one) => VARIANTS[one] ?? one).join("");
}

/** Units as they are appended. */
class FoldedUnits {
  #units: Uint16Array;
  #from: Uint32Array;
  #gaps: Uint8Array;
  #count = 0;

  constructor(length: number) {
    this.#units = new Uint16Array(length + 16);
    this.#from = new Uint32Array(length + 17);
    this.#gaps = new Uint8Array(length + 17);
  }

  /** Appends the units of one character. */
  put(folded: string, at: number, gap: number): void {
    if (this.#count + folded.length > this.#units.length) this.#grow(folded.length);
    for (let i = 0; i < folded.length; i++) {
      this.#units[this.#count] = folded.charCodeAt(i);
      this.#from[this.#count] = at;
      this.#gaps[this.#count++] = i === 0 ? gap : GAP.none;
    }
  }

  finish(length: number): FoldedText {
    const count = this.#count;
    this.#from[count] = length;
    this.#gaps[count] = GAP.loose;
    if (count > 0) this.#gaps[0] = GAP.loose;
    return {
      text: decoder.decode(this.#units.subarray(0, count)),
      from: this.#from.subarray(0, count + 1),
      gaps: this.#gaps.subarray(0, count + 1),
    };
  }

  #grow(least: number): void {
    const length = 2 * this.#units.length + least;
    this.#units = copied(this.#units, new Uint16Array(length));
    this.#from = copied(this.#from, new Uint32Array(length + 1));
    this.#gaps = copied(this.#gaps, new Uint8Array(length + 1));
  }
}

/** A lone half of a surrogate pair becomes U+FFFD: one unit, as before. */
const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });

function copied<T extends Uint8Array | Uint16Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
