/** Progress of a command that works through a set of questions. */

import { type Io, printLine } from "../process-io.js";

const LINE_EVERY_MS = 10_000;

/** Prints progress on standard error every ten seconds. */
export class QuestionProgress {
  readonly #io: Io;
  readonly #what: string;
  readonly #total: number;
  readonly #started = performance.now();
  #last = performance.now();

  /** @param what  plural of what is counted, such as "questions" */
  constructor(io: Io, what: string, total: number) {
    this.#io = io;
    this.#what = what;
    this.#total = total;
  }

  show(done: number): void {
    const now = performance.now();
    if (now - this.#last < LINE_EVERY_MS) return;
    this.#last = now;
    const left = ((now - this.#started) / done) * (this.#total - done);
    printLine(this.#io.stderr, `${this.#what}: ${done} of ${this.#total}, about ${Math.ceil(left / 1000)} s left`);
  }
}
