/** Commits while documents are added, so that an interrupted run loses a minute of work at most. */

import type { Document } from "../../../src/types.js";

/** Interval between commits of finished documents, in milliseconds. */
const EVERY_MS = 45_000;
const LOOK_EVERY_MS = 2_000;
/** Documents longer than this (UTF-16 units) keep the writer busy: earlier ones are committed first. */
const LONG_UNITS = 200_000;
/** Minimum time since the last commit before a long document causes another, in milliseconds. */
const SOON_MS = 500;
/** More documents than the encoder is ever ahead of the writer. */
const MAX_AHEAD = 100;

export class TimedCommits {
  readonly #commit: () => Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  /** The last documents that were read and may not be added yet, in order. */
  readonly #ahead: { id: string; units: number }[] = [];
  #changed = false;
  #committedAt = performance.now();
  #running: Promise<unknown> = Promise.resolve();
  #isRunning = false;
  #failure: { error: unknown } | undefined;

  /** @param commit  waits for the document that is being added, if any; documents added afterwards wait for it */
  constructor(commit: () => Promise<unknown>) {
    this.#commit = commit;
    this.#timer = setInterval(() => this.#commitAfter(EVERY_MS), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Call when a document is handed to the writer. */
  read({ id, text }: Document): void {
    this.#ahead.push({ id, units: text.length });
    if (this.#ahead.length > MAX_AHEAD) this.#ahead.shift();
    if (text.length > LONG_UNITS) this.#commitAfter(SOON_MS);
  }

  /** The documents, each as it is handed to the writer. */
  async *watch(documents: AsyncIterable<Document> | Iterable<Document>): AsyncGenerator<Document> {
    for await (const document of documents) {
      this.read(document);
      yield document;
    }
  }

  /** Call when the writer has added it. */
  added({ id }: Document): void {
    this.#changed = true;
    // Documents that came before it were unchanged or skipped.
    const at = this.#ahead.findIndex((document) => document.id === id);
    if (at >= 0) this.#ahead.splice(0, at + 1);
    if (this.#ahead.some(({ units }) => units > LONG_UNITS)) this.#commitAfter(SOON_MS);
  }

  /** Stops committing. @throws the first error of a commit */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #commitAfter(milliseconds: number): void {
    if (!this.#changed || this.#isRunning || performance.now() - this.#committedAt < milliseconds) return;
    this.#changed = false;
    this.#isRunning = true;
    this.#running = this.#commit()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#isRunning = false;
        this.#committedAt = performance.now();
      });
  }
}
