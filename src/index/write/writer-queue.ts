/** Serialises the calls of one writer; refuses them after a storage error, or after `close`. */

import { VerbatimError } from "../../errors.js";
import { SerialQueue } from "../../serial-queue.js";

export class WriterQueue {
  readonly #queue = new SerialQueue();
  #failure: unknown;
  #closed = false;

  /**
   * A storage error occurred: the content of files is unknown, and only the last commit can be
   * trusted.
   */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Runs work after all work before it. @throws VerbatimError `invalid-argument` (closed),
   * `io-error` (failed), what `work` throws
   */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => {
      this.checkUsable();
      return work();
    });
  }

  /** Runs work after whose failure a new writer must read the index again. */
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
      throw new VerbatimError("io-error", "The index writer stopped after an earlier error.", {
        hint,
        cause: this.#failure,
      });
    }
  }

  /** Waits for running work. @returns false if it was closed before */
  async close(): Promise<boolean> {
    await this.#queue.idle();
    if (this.#closed) return false;
    this.#closed = true;
    return true;
  }
}
