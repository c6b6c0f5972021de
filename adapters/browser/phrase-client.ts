/** The page's side of phrases: one worker, many questions. */

import type { AskResult } from "../../src/ask/ask.js";
import { throwIfAborted } from "../../src/errors.js";
import { fromTold, type PhraseReply, type PhraseRequest } from "./phrase-protocol.js";
import type { MessageEnd } from "./phrase-worker.js";

/** A worker as a page sees it. */
export type PhraseWorker = MessageEnd<PhraseReply, PhraseRequest> & { terminate(): void };

export class PhraseClient {
  /** Fulfilled when questions can be answered at once. @throws VerbatimError why they never will */
  readonly ready: Promise<void>;
  isReady = false;
  readonly #worker: PhraseWorker;
  readonly #waiting = new Map<number, { done: (result: AskResult) => void; fail: (error: unknown) => void }>();
  #next = 1;

  /** @param onBytes  told of the bytes of model and runtime that have come */
  constructor(worker: PhraseWorker, options: { base: URL; onBytes?: (bytes: number) => void }) {
    this.#worker = worker;
    this.ready = new Promise((done, fail) => {
      worker.addEventListener("message", ({ data }) => {
        if (data.kind === "bytes") options.onBytes?.(data.bytes);
        else if (data.kind === "ready") {
          this.isReady = true;
          done();
        } else if (data.kind === "failed") fail(fromTold(data.error));
        else this.#settle(data);
      });
    });
    this.ready.catch(() => {}); // told to whoever asks
    worker.postMessage({ kind: "open", base: options.base.href });
  }

  /** @throws VerbatimError of opening, of `Index.ask`, `aborted` */
  async ask(question: string, options: { topK: number; explain?: boolean; signal?: AbortSignal }): Promise<AskResult> {
    await this.ready;
    const { topK, explain = false, signal } = options;
    throwIfAborted(signal);
    const id = this.#next++;
    const stop = (): void => this.#worker.postMessage({ kind: "stop", id });
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await new Promise((done, fail) => {
        this.#waiting.set(id, { done, fail });
        this.#worker.postMessage({ kind: "ask", id, question, topK, explain });
      });
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#worker.terminate();
  }

  #settle(reply: Extract<PhraseReply, { id: number }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === "answer") waiting?.done(reply.result);
    else waiting?.fail(fromTold(reply.error));
  }
}
