/** Memory that the parser and the thread that watches it share. */

/** Index of a value in the shared Int32Array. */
export const STATE = {
  /** 1 while a job is being done. */
  busy: 0,
  /** 1 while the parser waits for the run. */
  waiting: 1,
  /** Changes with every job, and in formats that are streamed with every record, in mail with every attachment. */
  progress: 2,
  /** Changes with every part of a file: page, chapter. */
  part: 3,
  /** Milliseconds that the parser's event loop has waited since the process started. */
  idleMs: 4,
  /** Processor time, in milliseconds, that may pass without progress, … */
  maxMs: 5,
  /** … and within one part. */
  maxPartMs: 6,
  /** Resident memory, in MiB. */
  maxMemoryMiB: 7,
  /** What the watch has last measured. */
  memoryMiB: 8,
  length: 9,
} as const;

const MAX_INT32 = 0x7fffffff;

/** The job of a parser, seen by its watch. */
export class ParserState {
  readonly shared: SharedArrayBuffer = new SharedArrayBuffer(4 * STATE.length);
  readonly #values = new Int32Array(this.shared);

  begin(limits: { maxMs: number; maxPartMs: number; maxMemoryMiB: number }): void {
    this.#values[STATE.maxMs] = Math.min(limits.maxMs, MAX_INT32);
    this.#values[STATE.maxPartMs] = Math.min(limits.maxPartMs, MAX_INT32);
    this.#values[STATE.maxMemoryMiB] = limits.maxMemoryMiB;
    this.progress();
    Atomics.store(this.#values, STATE.busy, 1);
    Atomics.notify(this.#values, STATE.busy);
  }

  /** Starts the time limits again. */
  progress(): void {
    Atomics.add(this.#values, STATE.progress, 1);
  }

  /** Starts the time limit of a part again. */
  part(): void {
    Atomics.add(this.#values, STATE.part, 1);
  }

  /** @param idleMs  since the process started */
  idle(idleMs: number): void {
    Atomics.store(this.#values, STATE.idleMs, Math.min(idleMs, MAX_INT32));
  }

  waiting(waiting: boolean): void {
    Atomics.store(this.#values, STATE.waiting, waiting ? 1 : 0);
  }

  /** Resident memory, in MiB, a few hundredths of a second ago: measuring it takes as long as reading a small file. */
  get memoryMiB(): number {
    return Atomics.load(this.#values, STATE.memoryMiB);
  }

  end(): void {
    Atomics.store(this.#values, STATE.busy, 0);
  }
}
