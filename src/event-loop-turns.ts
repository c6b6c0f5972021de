/**
 * Turns of the event loop in long work. Awaiting a promise is not enough for signals, timers and
 * I/O: if nothing leaves the thread, such as reads that are answered from memory, the work never
 * yields.
 */
export class EventLoopTurns {
  readonly #every: number;
  #workingSince = performance.now();

  /** @param every  milliseconds of work between turns */
  constructor(every: number) {
    this.#every = every;
  }

  /** Call it often. @returns a promise that is resolved after a turn, or undefined if none is due */
  next(): Promise<void> | undefined {
    return performance.now() - this.#workingSince < this.#every ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#workingSince = performance.now();
  }
}
