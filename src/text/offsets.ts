import { VerbatimError } from "../errors.js";

/*
 * Conversion between the three kinds of text offsets: UTF-16 units (JavaScript), UTF-8 bytes (files) and
 * code points (Python). A lone surrogate counts as one code point of 3 bytes, like U+FFFD, which replaces
 * it when the text is written.
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
 * Converts offsets of one text in both directions. Construction takes one pass; a conversion reads at
 * most 4096 units (from bytes or code points, after a binary search). An offset inside a character counts
 * as the character's start. Memory: the text plus 8 bytes per 4096 units.
 */
export class OffsetIndex {
  readonly text: string;
  /** Lengths of the whole text. */
  readonly byteLength: number;
  readonly codePointLength: number;
  /** Offsets of the character that contains unit k · STEP. */
  readonly #bytes: Uint32Array;
  readonly #codePoints: Uint32Array;

  constructor(text: string) {
    const checkpoints = Math.floor(text.length / STEP) + 1;
    const bytes = new Uint32Array(checkpoints);
    const codePoints = new Uint32Array(checkpoints);
    for (let k = 1; k < checkpoints; k++) {
      const from = startOfCharacter(text, (k - 1) * STEP);
      const to = startOfCharacter(text, k * STEP);
      bytes[k] = bytes[k - 1]! + utf8Length(text, from, to);
      codePoints[k] = codePoints[k - 1]! + codePointLength(text, from, to);
    }
    const last = startOfCharacter(text, (checkpoints - 1) * STEP);
    this.text = text;
    this.#bytes = bytes;
    this.#codePoints = codePoints;
    this.byteLength = bytes[checkpoints - 1]! + utf8Length(text, last);
    this.codePointLength = codePoints[checkpoints - 1]! + codePointLength(text, last);
  }

  /** Number of UTF-8 bytes before a UTF-16 offset. @throws VerbatimError `invalid-argument` outside 0…text.length */
  toByte(offset: number): number {
    const k = Math.floor(checked(offset, this.text.length) / STEP);
    const from = startOfCharacter(this.text, k * STEP);
    return this.#bytes[k]! + utf8Length(this.text, from, startOfCharacter(this.text, offset));
  }

  /** Number of code points before a UTF-16 offset. @throws VerbatimError `invalid-argument` outside 0…text.length */
  toCodePoint(offset: number): number {
    const k = Math.floor(checked(offset, this.text.length) / STEP);
    const from = startOfCharacter(this.text, k * STEP);
    return this.#codePoints[k]! + codePointLength(this.text, from, startOfCharacter(this.text, offset));
  }

  /** UTF-16 offset of a byte. @throws VerbatimError `invalid-argument` outside 0…byteLength */
  fromByte(byte: number): number {
    return this.#walk(checked(byte, this.byteLength), this.#bytes, utf8Length);
  }

  /** UTF-16 offset of a code point. @throws VerbatimError `invalid-argument` outside 0…codePointLength */
  fromCodePoint(codePoint: number): number {
    return this.#walk(checked(codePoint, this.codePointLength), this.#codePoints, codePointLength);
  }

  /** The last character that begins at or before `target`, measured from the checkpoint before it. */
  #walk(target: number, checkpoints: Uint32Array, measure: typeof utf8Length): number {
    let low = 0;
    let high = checkpoints.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (checkpoints[middle]! <= target) low = middle;
      else high = middle;
    }
    const { text } = this;
    let offset = startOfCharacter(text, low * STEP);
    let position = checkpoints[low]!;
    while (offset < text.length) {
      const next = endOfCharacter(text, offset);
      position += measure(text, offset, next);
      if (position > target) break;
      offset = next;
    }
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
