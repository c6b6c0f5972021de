/** "Here is a question: how much can n-grams add to any span of each passage?" The largest weights of every passage, by n-gram. */

import type { NgramRows } from "../encode/types.js";
import type { StoredPassage } from "../index/types.js";
import type { QuestionNgrams } from "./score/ngrams.js";

const ID_RANGE = 65_536;
/** Keys of bigrams stand behind those of unigrams, which are token ids. */
const bigramKey = (first: number, second: number): number => ID_RANGE + first * ID_RANGE + second;
const keyOfPair = (pair: number): number => ID_RANGE + pair;

/** Words of an entry while it is collected: list, passage, start << 16 | end. */
const WORDS = 3;
/** Sums of a row are capped here, which a row of 255 positions of weight 255 does not reach. */
const MOST = 65_535;

/** Postings of n-grams: the passages that have weights for one, with the largest sum of a start row and of an end row. */
export class NgramMaxima {
  readonly #lists: ReadonlyMap<number, number>;
  readonly #offsets: Uint32Array;
  readonly #passages: Uint32Array;
  readonly #starts: Uint16Array;
  readonly #ends: Uint16Array;

  constructor(lists: ReadonlyMap<number, number>, entries: Uint32Array) {
    const count = entries.length / WORDS;
    this.#lists = lists;
    this.#offsets = new Uint32Array(lists.size + 1);
    this.#passages = new Uint32Array(count);
    this.#starts = new Uint16Array(count);
    this.#ends = new Uint16Array(count);
    for (let n = 0; n < count; n++) this.#offsets[entries[n * WORDS]! + 1]!++;
    for (let list = 0; list < lists.size; list++) this.#offsets[list + 1]! += this.#offsets[list]!;
    const next = this.#offsets.slice();
    for (let n = 0; n < count; n++) {
      const at = next[entries[n * WORDS]!]!++;
      this.#passages[at] = entries[n * WORDS + 1]!;
      this.#starts[at] = entries[n * WORDS + 2]! >>> 16;
      this.#ends[at] = entries[n * WORDS + 2]! & 0xffff;
    }
  }

  /**
   * Adds to out[first + p], for every passage p, perStep · Σ_g (u_start(g) · start_p(g) + u_end(g) · end_p(g)) ≥ any span's n-gram part: a
   * span has one start row and one end row, and no row's sum for g is larger than the passage's largest.
   */
  addTo(out: Float64Array, first: number, { ngrams, perStep }: { ngrams: QuestionNgrams; perStep: number }): void {
    if (!(perStep > 0)) return; // sums are ≥ 0
    const { unigrams, bigrams } = ngrams;
    for (const [id, slot] of unigrams.slots) {
      this.#add(id, { start: perStep * unigrams.start[slot]!, end: perStep * unigrams.end[slot]!, out, first });
    }
    for (const [pair, slot] of bigrams.slots) {
      this.#add(keyOfPair(pair), {
        start: perStep * bigrams.start[slot]!,
        end: perStep * bigrams.end[slot]!,
        out,
        first,
      });
    }
  }

  #add(key: number, to: { start: number; end: number; out: Float64Array; first: number }): void {
    const list = this.#lists.get(key);
    if (list === undefined) return;
    const { out, first } = to;
    const [start, end] = [Math.max(0, to.start), Math.max(0, to.end)];
    const last = this.#offsets[list + 1]!;
    for (let n = this.#offsets[list]!; n < last; n++) {
      out[first + this.#passages[n]!]! += start * this.#starts[n]! + end * this.#ends[n]!;
    }
  }
}

/** Collects a segment's passages one after another. */
export class NgramMaximaBuilder {
  readonly #lists = new Map<number, number>();
  #entries = new Uint32Array(WORDS * 4096);
  #length = 0;
  /** Of the passage at hand: number of each n-gram in it, and of the n-gram at every position. */
  readonly #numbers = new Map<number, number>();
  #keys: number[] = [];
  readonly #at = new Uint16Array(ID_RANGE);
  #largest = [new Uint32Array(512), new Uint32Array(512)] as const;
  #sums = new Uint32Array(512);

  add(passage: number, stored: StoredPassage): void {
    const { ids, startUnigrams, startBigrams, endUnigrams, endBigrams } = stored;
    const last = ids.length - 1;
    this.#collect(passage, [startUnigrams, endUnigrams], { keyOf: (t) => ids[t]!, count: ids.length });
    if (startBigrams.positions.length + endBigrams.positions.length === 0) return;
    this.#collect(passage, [startBigrams, endBigrams], { keyOf: (t) => bigramKey(ids[t]!, ids[t + 1]!), count: last });
  }

  finish(): NgramMaxima {
    return new NgramMaxima(this.#lists, this.#entries.subarray(0, this.#length));
  }

  #collect(
    passage: number,
    sides: readonly [NgramRows, NgramRows],
    { keyOf, count }: { keyOf: (position: number) => number; count: number },
  ): void {
    this.#numbers.clear();
    this.#keys = [];
    for (let t = 0; t < count; t++) {
      const key = keyOf(t);
      let number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.#keys.length;
        this.#numbers.set(key, number);
        this.#keys.push(key);
      }
      this.#at[t] = number;
    }
    this.#makeRoom();
    for (const [side, rows] of sides.entries()) this.#largestOf(rows, this.#largest[side]!);
    for (const [number, key] of this.#keys.entries()) {
      const start = Math.min(MOST, this.#largest[0][number]!);
      const end = Math.min(MOST, this.#largest[1][number]!);
      if (start > 0 || end > 0) this.#append(key, passage, ((start << 16) | end) >>> 0);
    }
  }

  #makeRoom(): void {
    const count = this.#keys.length;
    if (this.#sums.length < count) {
      this.#sums = new Uint32Array(count);
      this.#largest = [new Uint32Array(count), new Uint32Array(count)];
    }
    for (const largest of this.#largest) largest.fill(0, 0, count);
  }

  /** Of each n-gram the largest sum that a row has for it. */
  #largestOf({ offsets, positions, weights }: NgramRows, largest: Uint32Array): void {
    const sums = this.#sums;
    for (let row = 0; row + 1 < offsets.length; row++) {
      const [from, to] = [offsets[row]!, offsets[row + 1]!];
      for (let e = from; e < to; e++) sums[this.#at[positions[e]!]!] = 0;
      for (let e = from; e < to; e++) {
        const number = this.#at[positions[e]!]!;
        sums[number]! += weights[e]!;
        if (sums[number]! > largest[number]!) largest[number] = sums[number]!;
      }
    }
  }

  #append(key: number, passage: number, maxima: number): void {
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = this.#lists.size;
      this.#lists.set(key, list);
    }
    if (this.#length === this.#entries.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries.set([list, passage, maxima], this.#length);
    this.#length += WORDS;
  }
}
