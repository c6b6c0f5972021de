/** Tokens of a text. Token t covers `[starts[t], ends[t])` in UTF-16 units. */
export interface Tokens {
  /** Vocabulary indexes, as 16 bits if the vocabulary has at most 65,536 entries. */
  ids: Uint16Array | Int32Array;
  starts: Uint32Array;
  ends: Uint32Array;
  count: number;
}

/** A growing list of tokens that keeps its memory from text to text. */
export class TokenBuffer {
  /** May be decreased to drop the last tokens. */
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

  /** Moves the end of the last token. */
  extendLast(end: number): void {
    this.#ends[this.count - 1] = end;
  }

  /** A copy of the first `limit` tokens. */
  take(limit: number, vocabularySize: number): Tokens {
    const count = Math.min(this.count, limit);
    const ids = this.#ids.subarray(0, count);
    return {
      ids: vocabularySize <= 0x10000 ? Uint16Array.from(ids) : ids.slice(),
      starts: this.#starts.slice(0, count),
      ends: this.#ends.slice(0, count),
      count,
    };
  }
}

/** The numbers of `old` at the start of `larger`. */
export function enlarged<T extends Int32Array | Uint32Array | Uint16Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

/** Where tokens are in the text: UTF-16 units. */
export type TokenOffsets = Pick<Tokens, "starts" | "ends">;
