/** A stream that is read twice: its beginning for a look, and then all of it. */

export class ReplayedBytes {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #kept: Uint8Array[] = [];
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The stream from its beginning, kept as far as it is read. Stopping early leaves the source open. */
  async *first(): AsyncGenerator<Uint8Array> {
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
      this.#kept.push(chunk);
      yield chunk;
    }
  }

  /** The whole stream: what was kept, and what follows it. */
  async *again(): AsyncGenerator<Uint8Array> {
    try {
      for (let chunk = this.#kept.shift(); chunk !== undefined; chunk = this.#kept.shift()) yield chunk;
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk;
    } finally {
      if (!this.#ended) await this.#source.return?.();
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    const next = await this.#source.next();
    if (!next.done) return next.value;
    this.#ended = true;
    return undefined;
  }
}
