/** Memory that the parser and the thread that watches it share. */

/** Index of a value in the shared Int32Array. */
export const STATE = {
  /** 1 while a job is being done. */
  busy: 0,
  /** 1 while the parser waits for the run. */
  waiting: 1,
  /** Changes with every job, and in formats that are streamed with every record. */
  progress: 2,
  /** Processor time, in milliseconds, that may pass without progress. */
  maxMs: 3,
  /** Resident memory, in MiB. */
  maxMemoryMiB: 4,
  length: 5,
} as const;

/** The job of a parser, seen by its watch. */
export class ParserState {
  readonly shared: SharedArrayBuffer = new SharedArrayBuffer(4 * STATE.length);
  readonly #values = new Int32Array(this.shared);

  begin(limits: { maxMs: number; maxMemoryMiB: number }): void {
    this.#values[STATE.maxMs] = Math.min(limits.maxMs, 0x7fffffff);
    this.#values[STATE.maxMemoryMiB] = limits.maxMemoryMiB;
    this.progress();
    Atomics.store(this.#values, STATE.busy, 1);
    Atomics.notify(this.#values, STATE.busy);
  }

  /** Starts the time limit again. */
  progress(): void {
    Atomics.add(this.#values, STATE.progress, 1);
  }

  waiting(waiting: boolean): void {
    Atomics.store(this.#values, STATE.waiting, waiting ? 1 : 0);
  }

  end(): void {
    Atomics.store(this.#values, STATE.busy, 0);
  }
}
