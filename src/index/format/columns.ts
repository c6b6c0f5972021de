/**
 * Columns of numbers to little-endian bytes and back, for any alignment and byte order of the
 * machine.
 */

import { corrupt } from "./corrupt.js";

const TWO_32 = 0x1_0000_0000;

const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function copy(bytes: Uint8Array, width: number): ArrayBuffer {
  if (bytes.length % width !== 0)
    throw corrupt("a column of numbers", `${bytes.length} bytes are not whole numbers of ${width}`);
  const own = new Uint8Array(bytes); // a copy; `slice` of a Node Buffer would be a view
  if (!littleEndian) {
    for (let i = 0; i < own.length; i += width) own.subarray(i, i + width).reverse();
  }
  return own.buffer as ArrayBuffer;
}

/**
 * Little-endian bytes as numbers, copied so that alignment does not matter. `bytes.length` must be
 * a multiple of the width.
 */
export const copyU16 = (bytes: Uint8Array): Uint16Array => new Uint16Array(copy(bytes, 2));
export const copyU32 = (bytes: Uint8Array): Uint32Array => new Uint32Array(copy(bytes, 4));
export const copyF32 = (bytes: Uint8Array): Float32Array => new Float32Array(copy(bytes, 4));

/**
 * The same without a copy if byte order and alignment allow it. Neither the result nor the bytes
 * may be written to.
 */
export const viewU16 = (bytes: Uint8Array): Uint16Array =>
  isPlain(bytes, 2) ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : copyU16(bytes);
export const viewU32 = (bytes: Uint8Array): Uint32Array =>
  isPlain(bytes, 4) ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4) : copyU32(bytes);

const isPlain = (bytes: Uint8Array, width: number): boolean =>
  littleEndian && bytes.byteOffset % width === 0 && bytes.length % width === 0;

/** The u64 that begins at a word of a view; exact below 2⁵³. */
export const u64At = (words: Uint32Array, at: number): number => words[at]! + words[at + 1]! * TWO_32;

/**
 * Ascending u64 offsets of a file, decoded when they are accessed: opening an index needs only a
 * few of them.
 */
export class Offsets {
  readonly length: number;
  readonly #halves: Uint32Array;

  private constructor(halves: Uint32Array) {
    this.length = halves.length / 2;
    this.#halves = halves;
  }

  /**
   * @throws VerbatimError `corrupt-segment` if the length is not a multiple of 8, or the last
   *   offset is 2⁵³ or more
   */
  static read(bytes: Uint8Array, where: string): Offsets {
    if (bytes.length % 8 !== 0) throw corrupt(where, `${bytes.length} bytes are not whole numbers of 8`);
    const offsets = new Offsets(viewU32(bytes));
    if (offsets.length > 0 && offsets.#halves.at(-1)! >= 0x200000) throw corrupt(where, "a number is 2⁵³ or more");
    return offsets;
  }

  /** `count` offsets that are all 0. */
  static zeros(count: number): Offsets {
    return new Offsets(new Uint32Array(2 * count));
  }

  /** 0 ≤ n < length. */
  at(n: number): number {
    return u64At(this.#halves, 2 * n);
  }

  /** The last offset; 0 if there is none. */
  get end(): number {
    return this.length === 0 ? 0 : this.at(this.length - 1);
  }

  /** From offset n to the next. */
  range(n: number): { offset: number; length: number } {
    const offset = this.at(n);
    return { offset, length: this.at(n + 1) - offset };
  }

  /**
   * Number of the first offset that is smaller than the one before, 0 if the first is not 0;
   * undefined if all are in order.
   */
  firstMisplaced(): number | undefined {
    const halves = this.#halves;
    let low = 0;
    let high = 0;
    for (let at = 0; at < halves.length; at += 2) {
      const nextLow = halves[at]!;
      const nextHigh = halves[at + 1]!;
      if (nextHigh < high || (nextHigh === high && nextLow < low)) return at / 2;
      low = nextLow;
      high = nextHigh;
    }
    return halves.length > 0 && this.at(0) !== 0 ? 0 : undefined;
  }
}

/** Numbers as little-endian bytes. */
export const fromU32 = (values: Uint32Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4));
export const fromF32 = (values: Float32Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 4));
export const fromU16 = (values: Uint16Array): Uint8Array =>
  new Uint8Array(copy(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 2));
