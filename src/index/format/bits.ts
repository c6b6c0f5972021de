/** A stream of bits, from the lowest bit of a byte up, padded with zeros to a whole byte. */

import type { ByteWriter } from "./bytes.js";

/** Most bits that one call writes. */
const MAX_WIDTH = 24;

export class BitWriter {
  readonly #out: ByteWriter;
  #held = 0;
  #bits = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  /** @param value  0 ≤ value < 2^width, width ≤ 24 */
  write(value: number, width: number): void {
    this.#held |= value << this.#bits;
    this.#bits += width;
    while (this.#bits >= 8) {
      this.#out.u8(this.#held & 255);
      this.#held >>>= 8;
      this.#bits -= 8;
    }
  }

  /** `count` zeros and a one. */
  unary(count: number): void {
    let left = count;
    for (; left >= MAX_WIDTH; left -= MAX_WIDTH) this.write(0, MAX_WIDTH);
    this.write(1 << left, left + 1);
  }

  /** Pads the last byte. */
  finish(): void {
    if (this.#bits > 0) this.#out.u8(this.#held);
    this.#held = 0;
    this.#bits = 0;
  }
}

/** Bits of the number of low bits of a Rice code. */
export const RICE_BITS = 3;
/** The largest number of low bits. */
export const MAX_RICE = (1 << RICE_BITS) - 1;

/** The number of low bits with which the Rice codes of `numbers` are shortest; of equals, the smallest. */
export function bestRice(numbers: ArrayLike<number>): number {
  let best = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let low = 0; low <= MAX_RICE; low++) {
    let length = numbers.length * (1 + low);
    if (length >= fewest) break; // more low bits only add to this
    for (let i = 0; i < numbers.length; i++) length += numbers[i]! >> low;
    if (length >= fewest) continue;
    fewest = length;
    best = low;
  }
  return best;
}

/** Bits of an integer ≥ 0 in binary: 0 for 0. */
export const bitLength = (value: number): number => 32 - Math.clz32(value);
