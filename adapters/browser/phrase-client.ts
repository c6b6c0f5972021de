/** The page's side of phrase search: one worker, many questions. */

import type { AskResult } from "../../src/ask/result.js";
import { RpcClient } from "../rpc/client.js";
import { type WebPort, webEndpoint } from "../rpc/endpoint.js";
import type { PhraseService } from "./phrase-service.js";

/** A worker as a page sees it. */
export type PhraseWorker = WebPort;

export class PhraseClient {
  /**
   * Resolves when questions are answered without further loading.
   * @throws VerbatimError if the site cannot be opened
   */
  readonly ready: Promise<void>;
  isReady = false;
  readonly #worker: RpcClient<PhraseService>;

  /**
   * @param options.onBytes  receives the bytes of model and runtime that have arrived since the
   *   last call
   * @param options.onLost  called when the worker fails; then every question does
   */
  constructor(
    worker: PhraseWorker,
    options: { base: URL; files: string; onBytes?: (bytes: number) => void; onLost?: () => void },
  ) {
    const { base, files, onBytes, onLost } = options;
    this.#worker = new RpcClient(webEndpoint(worker), { name: "the phrase worker", onLost });
    this.ready = this.#worker.call("open", { base: base.href, files }, { onProgress: onBytes }).then(() => {
      this.isReady = true;
    });
    this.ready.catch(() => {}); // reported by the questions that wait for it
  }

  /** @throws VerbatimError as `ready` and `Index.ask`; `aborted` */
  async ask(question: string, options: { topK: number; explain?: boolean; signal?: AbortSignal }): Promise<AskResult> {
    await this.ready;
    const { topK, explain = false, signal } = options;
    return this.#worker.call("ask", { question, topK, explain }, { signal });
  }

  /** Ends the worker. */
  close(): void {
    void this.#worker.terminate();
  }
}
