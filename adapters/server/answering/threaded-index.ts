/**
 * An index that worker threads answer from. This thread opens a snapshot for what it reports, and
 * nothing that searches.
 */

import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import type { AskResult } from "../../../src/ask/result.js";
import { VerbatimError } from "../../../src/errors.js";
import { type IndexInfo, indexInfo } from "../../../src/index/index-info.js";
import type { QuotationInput, QuoteCheck, QuoteOptions } from "../../../src/quote/types.js";
import { SerialQueue } from "../../../src/serial-queue.js";
import type { NewestSnapshot } from "../newest-snapshot.js";
import type { AnswerThreads } from "./answer-threads.js";
import type { SharedVectors } from "./answering-service.js";
import { loadVectors } from "./load-vectors.js";

export class ThreadedIndex
  implements Pick<Index, "version" | "info" | "ask" | "askStream" | "quote" | "refresh" | "close">
{
  readonly #snapshots: NewestSnapshot;
  readonly #threads: AnswerThreads;
  #vectors: SharedVectors = new Map();
  readonly #refreshing = new SerialQueue();
  #version = 0;
  /** How many versions had been opened when all threads had the newest one. */
  #opened = 0;

  private constructor(snapshots: NewestSnapshot, threads: AnswerThreads) {
    this.#snapshots = snapshots;
    this.#threads = threads;
  }

  /** @throws VerbatimError as `openIndex`, from the threads too */
  static async open(snapshots: NewestSnapshot, threads: AnswerThreads): Promise<ThreadedIndex> {
    const index = new ThreadedIndex(snapshots, threads);
    await index.refresh();
    return index;
  }

  /** The version that all threads have, or an older one. */
  get version(): number {
    return this.#version;
  }

  get info(): IndexInfo {
    const snapshot = this.#snapshots.hold();
    if (snapshot === undefined) throw new VerbatimError("invalid-argument", "The index is closed.");
    try {
      return indexInfo(snapshot.value);
    } finally {
      void snapshot.release();
    }
  }

  async refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    return this.#refreshing.run(async () => {
      const version = await this.#snapshots.refresh(options);
      const { opened } = this.#snapshots;
      if (opened !== this.#opened) {
        await this.#threads.refresh({ atLeastVersion: version, vectors: await this.#loadVectors() });
      }
      this.#opened = opened;
      this.#version = version;
      return version;
    });
  }

  async #loadVectors(): Promise<SharedVectors> {
    const snapshot = this.#snapshots.hold();
    if (snapshot === undefined) return this.#vectors;
    try {
      this.#vectors = await loadVectors(snapshot.value, this.#vectors);
    } finally {
      await snapshot.release();
    }
    return this.#vectors;
  }

  ask(question: string, options?: AskOptions): Promise<AskResult> {
    return this.#threads.ask(question, options);
  }

  askStream(question: string, options?: AskOptions): AsyncGenerator<AskResult, void> {
    return this.#threads.askStream(question, options);
  }

  quote(quotations: readonly QuotationInput[], options?: QuoteOptions): Promise<QuoteCheck[]> {
    return this.#threads.quote(quotations, options);
  }

  /** Snapshots and threads stay the caller's to close. */
  async close(): Promise<void> {}
}
