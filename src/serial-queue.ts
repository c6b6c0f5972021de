/** Runs pieces of asynchronous work one after the other, in the order in which they were added. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` when everything added before it has ended, whether it succeeded or failed.
   * @returns what `work` returns
   * @throws what `work` throws; later work runs all the same
   */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** As `run`, for work that yields; its turn ends with the generator. */
  async *stream<T>(work: () => AsyncIterable<T>): AsyncGenerator<T, void> {
    let end = (): void => {};
    await new Promise<void>((begin) => {
      void this.run(() => {
        begin();
        return new Promise<void>((resolve) => {
          end = resolve;
        });
      });
    });
    try {
      yield* work();
    } finally {
      end();
    }
  }

  /** Resolves when everything added so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
