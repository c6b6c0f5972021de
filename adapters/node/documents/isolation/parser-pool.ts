/** Parser processes that are kept warm between runs, one for each run at a time. */

import type { DocumentFormat } from "../formats.js";
import { defaultReadLimits } from "../limits.js";
import { ParserProcess } from "./parser-process.js";

/** An idle process is ended after this time, in milliseconds, so that an idle server holds no memory for it. */
const IDLE_MS = 60_000;

export class ParserPool {
  readonly maxMemoryMiB: number;
  readonly #idle: { process: ParserProcess; timer: NodeJS.Timeout }[] = [];
  #closed = false;
  #jobs = 0;

  /** @param options.maxMemoryMiB  resident memory of a process; see ReadLimits */
  constructor(options: { maxMemoryMiB?: number } = {}) {
    this.maxMemoryMiB = options.maxMemoryMiB ?? defaultReadLimits.maxMemoryMiB;
  }

  /** A number that no other job of these processes has. */
  newJobId(): number {
    return ++this.#jobs;
  }

  /** An idle process; the caller returns it with `giveBack`, or kills it. */
  lease(): ParserProcess {
    const warm = this.#idle.pop();
    if (warm === undefined) return new ParserProcess(this);
    clearTimeout(warm.timer);
    warm.process.hold(true);
    return warm.process.isAlive ? warm.process : this.lease();
  }

  /** Takes back a process that has done all its jobs. */
  giveBack(process: ParserProcess): void {
    if (this.#closed || !process.isAlive) {
      process.kill();
      return;
    }
    process.hold(false);
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.process === process),
        1,
      );
      process.kill();
    }, IDLE_MS);
    timer.unref();
    this.#idle.push({ process, timer });
  }

  /**
   * Starts a process ahead of the first file.
   * @param formats  what the first files will be, if known: their parsers are loaded
   */
  warmUp(formats: DocumentFormat[] = []): void {
    if (this.#idle.length === 0) this.giveBack(new ParserProcess(this));
    if (formats.length > 0) this.#idle[0]!.process.prepare(formats);
  }

  /** Ends the idle processes; those in use end when they are returned. */
  close(): void {
    this.#closed = true;
    for (const { process, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      process.kill();
    }
  }
}
