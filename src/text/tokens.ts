/** Tokens of a text. Token t is the stretch `[starts[t], ends[t])` in UTF-16 units of the text it was made of. */
export interface Tokens {
  /** Vocabulary indexes; 16 bits when the vocabulary has at most 65,536 entries. */
  ids: Uint16Array | Int32Array;
  starts: Uint32Array;
  ends: Uint32Array;
  count: number;
}

/** Tokens while they are found: grows by doubling, keeps its memory from one text to the next. */
export class TokenBuffer {
  /** May be set back to forget the last tokens. */
  count = 0;
  #ids = new Int32Array(1024);
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);

  push(id: number, start: number, end: number): void {
    const { count } = this;
    if (count === this.#ids.length) {
      this.#ids = enlarged(this.#ids, new Int32Array(2 * count));
      this.#starts = enlarged(this.#starts, new Uint32Array(2 * count));
      this.#ends = enlarged(this.#ends, new Uint32Array(2 * count));
    }
    this.#ids[count] = id;
    this.#starts[count] = start;
    this.#ends[count] = end;
    this.count = count + 1;
  }

  /** A copy of the first `most` tokens. */
  take(most: number, vocabularySize: number): Tokens {
    const count = Math.min(this.count, most);
    const ids = this.#ids.subarray(0, count);
    return {
      ids: vocabularySize <= 0x10000 ? Uint16Array.from(ids) : ids.slice(),
      starts: this.#starts.slice(0, count),
      ends: this.#ends.slice(0, count),
      count,
    };
  }
}

function enlarged<T extends Int32Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
