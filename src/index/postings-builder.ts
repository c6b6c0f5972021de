/** "Here are keys and values, unit by unit: give them back key by key." In memory at 4 bytes a posting, sorted a range of keys at a time. */

import type { Postings } from "./types.js";

const CHUNK = 1 << 18;
/** Keys and postings sorted at once: bounds what sorting needs beyond the postings themselves to about 14 MB. */
const PARTITION_KEYS = 1 << 20;
const PARTITION_POSTINGS = 1 << 21;
const BIN_BITS = 8;
const BINS = 1 << (24 - BIN_BITS);

export class PostingsBuilder {
  /** key · 256 + value */
  #chunks: Uint32Array[] = [];
  #length = 0;
  /** Postings up to and with each unit. */
  #unitEnds = new Uint32Array(64);
  #units = 0;

  /** Bytes held. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * 4 + this.#unitEnds.byteLength;
  }

  get unitCount(): number {
    return this.#units;
  }

  /** A posting of the unit under way. Each key at most once a unit. @param key < 2²⁴ @param value 0 … 255 */
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

  /** Ends the unit under way; the next one has the next number. */
  endUnit(): void {
    if (this.#units === this.#unitEnds.length) {
      const grown = new Uint32Array(this.#units * 2);
      grown.set(this.#unitEnds);
      this.#unitEnds = grown;
    }
    this.#unitEnds[this.#units++] = this.#length;
  }

  /** Lists by key ascending, units ascending in each. The arrays are views that hold until the next list. */
  *lists(): Generator<{ key: number; postings: Postings }> {
    const bins = new Uint32Array(BINS);
    for (let i = 0; i < this.#length; i++) bins[this.#at(i) >>> (8 + BIN_BITS)]!++;
    for (let bin = 0; bin < BINS; ) {
      const firstBin = bin;
      let count = bins[bin++]!;
      while (bin < BINS && (bin - firstBin) << BIN_BITS < PARTITION_KEYS && count + bins[bin]! <= PARTITION_POSTINGS) {
        count += bins[bin++]!;
      }
      if (count > 0) yield* this.#partition(firstBin << BIN_BITS, bin << BIN_BITS, count);
    }
  }

  /** Counting sort of the postings with firstKey ≤ key < endKey; stable, so units stay in order. */
  *#partition(firstKey: number, endKey: number, count: number): Generator<{ key: number; postings: Postings }> {
    const ends = new Uint32Array(endKey - firstKey + 1);
    for (let i = 0; i < this.#length; i++) {
      const key = this.#at(i) >>> 8;
      if (key >= firstKey && key < endKey) ends[key - firstKey + 1]!++;
    }
    for (let k = 1; k < ends.length; k++) ends[k] = ends[k]! + ends[k - 1]!;
    const units = new Uint32Array(count);
    const values = new Uint8Array(count);
    for (let unit = 0, i = 0; unit < this.#units; unit++) {
      for (const end = this.#unitEnds[unit]!; i < end; i++) {
        const packed = this.#at(i);
        const key = packed >>> 8;
        if (key < firstKey || key >= endKey) continue;
        const to = ends[key - firstKey]!++;
        units[to] = unit;
        values[to] = packed & 255;
      }
    }
    // After the scatter ends[k] is where the list of key k ends.
    for (let k = 0, from = 0; k < endKey - firstKey; k++) {
      const to = ends[k]!;
      if (to > from)
        yield { key: firstKey + k, postings: { units: units.subarray(from, to), values: values.subarray(from, to) } };
      from = to;
    }
  }

  #at(i: number): number {
    return this.#chunks[i >>> 18]![i & (CHUNK - 1)]!;
  }
}
