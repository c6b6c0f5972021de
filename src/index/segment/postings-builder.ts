/**
 * Turns postings by unit into lists by key, in memory at 4 bytes per posting, sorting one range of
 * keys at a time.
 */

import type { Postings } from "../format/postings-codec.js";

const CHUNK = 1 << 18;
/**
 * Postings sorted at once: bounds the memory of sorting to about 20 MB beyond the postings
 * themselves.
 */
const DEFAULT_SORTED_AT_ONCE = 1 << 20;
const KEY_BITS = 24;
/** Size of the key ranges that are counted to choose what is sorted at once. */
const BIN_BITS = 8;
const PLACES = 2 ** 26;

export class PostingsBuilder {
  /** key · 256 + value */
  #chunks: Uint32Array[] = [];
  #length = 0;
  /** Number of postings up to and including each unit. */
  #unitEnds = new Uint32Array(64);
  #units = 0;
  #sortedAtOnce: number;

  /** @param sortedAtOnce  default DEFAULT_SORTED_AT_ONCE; smaller in tests */
  constructor(sortedAtOnce = DEFAULT_SORTED_AT_ONCE) {
    this.#sortedAtOnce = sortedAtOnce;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * 4 + this.#unitEnds.byteLength;
  }

  /**
   * Adds a posting to the current unit. Each key at most once per unit. @param key < 2²⁴ @param
   * value 0 … 255
   */
  add(key: number, value: number): void {
    const at = this.#length & (CHUNK - 1);
    if (at === 0) this.#chunks.push(new Uint32Array(this.#length === 0 ? 4096 : CHUNK));
    let chunk = this.#chunks.at(-1)!;
    if (at === chunk.length) {
      const grown = new Uint32Array(Math.min(CHUNK, chunk.length * 4));
      grown.set(chunk);
      this.#chunks[this.#chunks.length - 1] = grown;
      chunk = grown;
    }
    chunk[at] = key * 256 + value;
    this.#length++;
  }

  /** Ends the current unit; the next one has the next number. */
  endUnit(): void {
    if (this.#units === this.#unitEnds.length) {
      const grown = new Uint32Array(this.#units * 2);
      grown.set(this.#unitEnds);
      this.#unitEnds = grown;
    }
    this.#unitEnds[this.#units++] = this.#length;
  }

  /**
   * Lists by ascending key, with ascending units. The arrays are views that are valid until the
   * next list.
   */
  *lists(): Generator<{ key: number; postings: Postings }> {
    if (this.#length <= this.#sortedAtOnce) {
      if (this.#length > 0) yield* this.#partition(0, 1 << KEY_BITS, this.#length);
      return;
    }
    const bins = new Uint32Array(1 << (KEY_BITS - BIN_BITS));
    for (let i = 0; i < this.#length; i++) bins[this.#at(i) >>> (8 + BIN_BITS)]!++;
    for (let bin = 0; bin < bins.length; ) {
      const firstBin = bin;
      let count = bins[bin++]!;
      while (bin < bins.length && count + bins[bin]! <= this.#sortedAtOnce) count += bins[bin++]!;
      if (count > 0) yield* this.#partition(firstBin << BIN_BITS, bin << BIN_BITS, count);
    }
  }

  /**
   * Sorts the `count` postings with firstKey ≤ key < endKey by key, stably, so that units ascend.
   */
  *#partition(firstKey: number, endKey: number, count: number): Generator<{ key: number; postings: Postings }> {
    const order = new Float64Array(count); // (key − firstKey) · 2^26 + index among the gathered: below 2^53 if count ≤ 2^26
    const gathered = new Uint32Array(count);
    const values = new Uint8Array(count);
    let n = 0;
    for (let unit = 0, i = 0; unit < this.#units; unit++) {
      for (const end = this.#unitEnds[unit]!; i < end; i++) {
        const packed = this.#at(i);
        const key = packed >>> 8;
        if (key < firstKey || key >= endKey) continue;
        order[n] = (key - firstKey) * PLACES + n;
        gathered[n] = unit;
        values[n++] = packed & 255;
      }
    }
    order.sort();
    const list: Postings = { units: new Uint32Array(count), values: new Uint8Array(count) };
    for (let from = 0; from < count; ) {
      const key = Math.floor(order[from]! / PLACES);
      let to = from;
      for (; to < count && order[to]! < (key + 1) * PLACES; to++) {
        const place = order[to]! % PLACES;
        list.units[to] = gathered[place]!;
        list.values[to] = values[place]!;
      }
      yield {
        key: firstKey + key,
        postings: { units: list.units.subarray(from, to), values: list.values.subarray(from, to) },
      };
      from = to;
    }
  }

  #at(i: number): number {
    return this.#chunks[i >>> 18]![i & (CHUNK - 1)]!;
  }
}
