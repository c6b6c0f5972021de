/** A value with several users, closed when the last of them releases it. Its creator is the first user. */
export class Shared<T> {
  readonly value: T;
  readonly #close: (value: T) => void | Promise<void>;
  #users = 1;
  #closed = false;

  constructor(value: T, close: (value: T) => void | Promise<void>) {
    this.value = value;
    this.#close = close;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Adds a user, who must call `release` once. */
  hold(): this {
    this.#users++;
    return this;
  }

  /** @throws what closing throws, if this was the last user */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.closeNow();
  }

  /** Runs `work` as a user of its own. */
  async use<R>(work: (value: T) => R | Promise<R>): Promise<R> {
    this.hold();
    try {
      return await work(this.value);
    } finally {
      await this.release();
    }
  }

  /** Closes the value even if it is in use; later releases do nothing. */
  async closeNow(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#close(this.value);
  }
}
