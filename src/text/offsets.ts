import { VerbatimError } from "../errors.js";
import { countAtMost } from "../vectors/ascending.js";

/*
 * The three measures of a text: UTF-16 units (JavaScript), UTF-8 bytes (files) and code points (Python).
 * A lone surrogate counts as one code point of 3 bytes, like U+FFFD, which replaces it when the text is
 * written.
 */

/** UTF-16 units between checkpoints; a conversion reads at most this many. */
const STEP = 4096;

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/** UTF-8 bytes of `text.slice(from, to)`. O(to − from) */
export function utf8Length(text: string, from = 0, to = text.length): number {
  const end = Math.min(to, text.length);
  let bytes = 0;
  for (let i = from; i < end; i++) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (isHigh(unit) && i + 1 < end && isLow(text.charCodeAt(i + 1))) {
      bytes++;
      i++;
    }
  }
  return bytes;
}

/** Code points of `text.slice(from, to)`. O(to − from) */
export function codePointLength(text: string, from = 0, to = text.length): number {
  const end = Math.min(to, text.length);
  let count = 0;
  for (let i = from; i < end; i++, count++) {
    if (isHigh(text.charCodeAt(i)) && i + 1 < end && isLow(text.charCodeAt(i + 1))) i++;
  }
  return count;
}

/**
 * Converts offsets of one text between UTF-16 units and code points. Construction takes one pass; a
 * conversion reads at most 4096 units (from code points, after a binary search). An offset inside a
 * character counts as the character's start. Memory: the text plus 4 bytes per 4096 units.
 */
export class OffsetIndex {
  readonly text: string;
  /** Length of the whole text. */
  readonly codePointLength: number;
  /** Code points before the character that contains unit k · STEP. */
  readonly #codePoints: Uint32Array;

  constructor(text: string) {
    const checkpoints = Math.floor(text.length / STEP) + 1;
    const codePoints = new Uint32Array(checkpoints);
    for (let k = 1; k < checkpoints; k++) {
      const from = startOfCharacter(text, (k - 1) * STEP);
      const to = startOfCharacter(text, k * STEP);
      codePoints[k] = codePoints[k - 1]! + codePointLength(text, from, to);
    }
    const last = startOfCharacter(text, (checkpoints - 1) * STEP);
    this.text = text;
    this.#codePoints = codePoints;
    this.codePointLength = codePoints[checkpoints - 1]! + codePointLength(text, last);
  }

  /** Number of code points before a UTF-16 offset. @throws VerbatimError `invalid-argument` outside 0…text.length */
  toCodePoint(offset: number): number {
    const k = Math.floor(checked(offset, this.text.length) / STEP);
    const from = startOfCharacter(this.text, k * STEP);
    return this.#codePoints[k]! + codePointLength(this.text, from, startOfCharacter(this.text, offset));
  }

  /** UTF-16 offset of a code point. @throws VerbatimError `invalid-argument` outside 0…codePointLength */
  fromCodePoint(codePoint: number): number {
    const target = checked(codePoint, this.codePointLength);
    const checkpoints = this.#codePoints;
    const last = countAtMost(checkpoints, target) - 1;
    const { text } = this;
    let offset = startOfCharacter(text, last * STEP);
    for (let left = target - checkpoints[last]!; left > 0; left--) offset = endOfCharacter(text, offset);
    return offset;
  }
}

function startOfCharacter(text: string, offset: number): number {
  const inside = offset > 0 && isLow(text.charCodeAt(offset)) && isHigh(text.charCodeAt(offset - 1));
  return inside ? offset - 1 : offset;
}

function endOfCharacter(text: string, offset: number): number {
  return isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1)) ? offset + 2 : offset + 1;
}

function checked(offset: number, most: number): number {
  if (Number.isInteger(offset) && offset >= 0 && offset <= most) return offset;
  throw new VerbatimError("invalid-argument", `The offset ${offset} is outside the text.`, {
    found: offset,
    expected: `a whole number from 0 to ${most}`,
  });
}
