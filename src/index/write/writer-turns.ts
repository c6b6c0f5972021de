/** The calls of one writer, one after the other; none of them after an error of the storage, or after the end. */

import { VerbatimError } from "../../errors.js";
import { SerialQueue } from "../../serial-queue.js";

export class WriterTurns {
  readonly #queue = new SerialQueue();
  #failure: unknown;
  #closed = false;

  /** An error of the storage came up: nobody knows what the files hold, only the last commit is true. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Carries work out when all before it is done. @throws VerbatimError `invalid-argument` (closed), `io-error` (failed), what `work` throws */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => {
      this.checkUsable();
      return work();
    });
  }

  /** Work after whose failure a new writer must read what is there. */
  async storing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= error ?? new Error("unknown");
      throw error;
    }
  }

  /** @throws VerbatimError `invalid-argument` (closed), `io-error` (failed) */
  checkUsable(): void {
    if (this.#closed) throw new VerbatimError("invalid-argument", "The index writer is closed.");
    if (this.#failure !== undefined) {
      const hint = "Close it and open the index again: everything that was committed is there.";
      throw new VerbatimError("io-error", "The index writer stopped at an earlier error.", {
        hint,
        cause: this.#failure,
      });
    }
  }

  /** Waits for what is under way. @returns false if it was closed before */
  async close(): Promise<boolean> {
    await this.#queue.idle();
    if (this.#closed) return false;
    this.#closed = true;
    return true;
  }
}
