/**
 * Worker threads that answer, each with the index open and networks of its own: the thread that
 * talks to clients never waits for a question, as many questions are answered at once as there are
 * threads, and a question crosses threads twice, there and back.
 */

import type { Worker } from "node:worker_threads";
import type { AskOptions } from "../../../src/ask/options.js";
import type { AskResult } from "../../../src/ask/result.js";
import { VerbatimError } from "../../../src/errors.js";
import type { QuotationInput, QuoteCheck, QuoteOptions } from "../../../src/quote/types.js";
import { workerEndpoint } from "../../node/threads/endpoints.js";
import { startWorker } from "../../node/threads/start-worker.js";
import { RpcClient } from "../../rpc/client.js";
import type { AnsweringService, AnsweringSetup, NewestVersion, Question } from "./answering-service.js";

interface AnswerThreadsOptions {
  setup: AnsweringSetup;
  /** Number of threads, 1… */
  threads: number;
  /** Default: starts answering-worker.ts. */
  start?: (workerData: AnsweringSetup) => Worker;
}

interface AnswerThread {
  client: RpcClient<AnsweringService>;
  /** The last call of `refresh` that the thread has followed; 0 before the first. */
  refreshed: number;
}

export class AnswerThreads {
  readonly #options: AnswerThreadsOptions;
  readonly #seats: AnswerThread[] = [];
  /** The version that every thread must have, one that replaces a lost thread included. */
  #newest: NewestVersion = { atLeastVersion: 0, vectors: new Map() };
  /** Calls of `refresh`. */
  #refreshes = 0;
  #closed = false;

  constructor(options: AnswerThreadsOptions) {
    this.#options = options;
  }

  /**
   * Has all threads open the newest version; the first call starts them.
   * @throws VerbatimError as `openIndex` and `Index.refresh`
   */
  async refresh(newest: NewestVersion): Promise<void> {
    this.#newest = newest;
    this.#refreshes++;
    await this.#refreshAll();
  }

  /**
   * As `Index.ask`, in the least busy thread.
   * @throws VerbatimError `invalid-argument` for a `filter` function: use `where`
   */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    const { signal } = options;
    return this.#leastBusy().client.call("ask", questionOf(question, options), { signal });
  }

  /** As `Index.askStream`. */
  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    const { signal } = options;
    const ahead = Number.MAX_SAFE_INTEGER; // a slow client must not hold up the thread
    yield* this.#leastBusy().client.stream("askStream", questionOf(question, options), { signal, ahead });
  }

  /** As `Index.quote`; reports no progress. */
  async quote(quotations: readonly QuotationInput[], { signal }: QuoteOptions = {}): Promise<QuoteCheck[]> {
    return this.#leastBusy().client.call("quote", quotations, { signal });
  }

  /** Questions under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#seats.map(({ client }) => client.close()));
  }

  /** Starts missing threads, and has those refresh that have not followed the last call. */
  async #refreshAll(): Promise<void> {
    while (this.#seats.length < this.#options.threads) this.#seats.push(this.#start());
    await Promise.all(this.#seats.map((thread) => this.#refresh(thread)));
  }

  async #refresh(thread: AnswerThread): Promise<void> {
    const refreshes = this.#refreshes;
    if (thread.refreshed === refreshes) return;
    await thread.client.call("refresh", this.#newest);
    thread.refreshed = Math.max(thread.refreshed, refreshes);
  }

  #leastBusy(): AnswerThread {
    const [first, ...rest] = this.#seats;
    if (this.#closed || first === undefined) {
      throw new VerbatimError("invalid-argument", "The index is not open, or was closed.");
    }
    return rest.reduce((best, thread) => (thread.client.load < best.client.load ? thread : best), first);
  }

  #start(): AnswerThread {
    const { setup, start = startThread } = this.#options;
    const endpoint = workerEndpoint(start(setup));
    const onLost = (): void => this.#replace(thread);
    const thread: AnswerThread = {
      client: new RpcClient(endpoint, { name: "an answering thread", onLost }),
      refreshed: 0,
    };
    return thread;
  }

  /** A thread that never had an index open is not started again: it would be lost again. */
  #replace(lost: AnswerThread): void {
    this.#seats.splice(this.#seats.indexOf(lost), 1);
    if (lost.refreshed > 0 && !this.#closed) this.#refreshAll().catch(() => {}); // reported by the next call
  }
}

function questionOf(question: string, { signal: _, filter, ...options }: AskOptions): Question {
  if (filter !== undefined)
    throw new VerbatimError("invalid-argument", "A filter function cannot be sent to a worker thread. Use where.");
  return { question, options };
}

function startThread(workerData: AnsweringSetup): Worker {
  return startWorker("answering-worker", import.meta.url, { workerData });
}
