/** A hash table in one typed array, for millions of entries: no object and no string for each. */

/** 32-bit words of a key. */
export const KEY_WORDS = 4;
const FIRST_CAPACITY = 1024;
/** Slots in use, at most; more makes the searches long. */
const MAX_LOAD = 0.7;
/** A smaller factor leaves fewer slots free, and copies more often. */
const GROWTH = 1.5;

/**
 * Keys are 128 bits of a good hash, so that their first word chooses the slot (linear probing). Values are
 * a fixed number of 32-bit words. The first of them is 0 in a free slot, and must not be 0 in a value.
 */
export class HashTable {
  readonly #width: number;
  #words: Uint32Array;
  #size = 0;

  /** @param valueWords  words of a value */
  constructor(valueWords: number) {
    this.#width = KEY_WORDS + valueWords;
    this.#words = new Uint32Array(this.#width * FIRST_CAPACITY);
  }

  get size(): number {
    return this.#size;
  }

  /** The value, which may be changed in place until the next `add` or `delete`; undefined if there is none. */
  get(key: Uint32Array): Uint32Array | undefined {
    const at = this.#find(key);
    return this.#words[at + KEY_WORDS] === 0 ? undefined : this.#valueAt(at);
  }

  /** The value, for the caller to write: that of the key, or words of 0 if there was none. */
  add(key: Uint32Array): Uint32Array {
    if (this.#width * (this.#size + 1) > MAX_LOAD * this.#words.length) this.#grow();
    const at = this.#find(key);
    if (this.#words[at + KEY_WORDS] === 0) {
      this.#words.set(key, at);
      this.#size++;
    }
    return this.#valueAt(at);
  }

  /** @returns false if there is none */
  delete(key: Uint32Array): boolean {
    const words = this.#words;
    const width = this.#width;
    let free = this.#find(key);
    if (words[free + KEY_WORDS] === 0) return false;
    // What was pushed past the slot moves back, so that a search can end at the first free slot.
    for (let at = this.#next(free); words[at + KEY_WORDS] !== 0; at = this.#next(at)) {
      if (this.#distance(this.#home(words[at]!), at) < this.#distance(free, at)) continue;
      words.copyWithin(free, at, at + width);
      free = at;
    }
    words.fill(0, free, free + width);
    this.#size--;
    return true;
  }

  /** All values, in no particular order. They may be changed in place. */
  *values(): Generator<Uint32Array> {
    for (let at = 0; at < this.#words.length; at += this.#width)
      if (this.#words[at + KEY_WORDS] !== 0) yield this.#valueAt(at);
  }

  #valueAt(at: number): Uint32Array {
    return this.#words.subarray(at + KEY_WORDS, at + this.#width);
  }

  /** Where the slot of the key begins, or the free one where it belongs. */
  #find(key: Uint32Array): number {
    const words = this.#words;
    let at = this.#home(key[0]!);
    for (; words[at + KEY_WORDS] !== 0; at = this.#next(at))
      if (words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3])
        break;
    return at;
  }

  #home(word: number): number {
    return this.#width * Math.floor((word / 2 ** 32) * (this.#words.length / this.#width));
  }

  #next(at: number): number {
    const next = at + this.#width;
    return next === this.#words.length ? 0 : next;
  }

  /** Words from one slot forward to another. */
  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#words.length;
  }

  #grow(): void {
    const old = this.#words;
    const width = this.#width;
    this.#words = new Uint32Array(width * Math.ceil((GROWTH * old.length) / width));
    for (let at = 0; at < old.length; at += width) {
      if (old[at + KEY_WORDS] === 0) continue;
      const slot = old.subarray(at, at + width);
      this.#words.set(slot, this.#find(slot));
    }
  }
}
