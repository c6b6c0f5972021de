/**
 * The network in the caller's own thread, for single questions: encoding a few tokens is so fast
 * that the round trip to a worker thread (two wake-ups, a structured clone) would matter.
 */

import type { EncodedQuestion } from "../../../../src/encode/types.js";
import { throwIfAborted } from "../../../../src/errors.js";
import { LoadOnce } from "../../../../src/load-once.js";
import { SerialQueue } from "../../../../src/serial-queue.js";
import { internalError } from "../../threads/worker-pool.js";
import type { EncoderSetup } from "./encoder-service.js";
import type { Network } from "./network.js";

export class LocalNetwork {
  readonly #network: LoadOnce<Network>;
  #busy = false;
  readonly #passes = new SerialQueue();

  constructor({ folder, model }: EncoderSetup) {
    // ONNX Runtime is loaded into this thread on demand: a program that only indexes does not need it here
    this.#network = new LoadOnce(async () => (await import("./network.js")).Network.open(folder, model));
  }

  /** True while a question is being encoded here; others should go to a worker. */
  get busy(): boolean {
    return this.#busy;
  }

  /**
   * Blocks this thread while the network runs. The first question opens the model.
   * @throws VerbatimError `aborted`, `internal`, `model-missing`
   */
  encodeQuestion(text: string, ids: Uint16Array, options: { signal?: AbortSignal } = {}): Promise<EncodedQuestion> {
    this.#busy = true;
    return this.#passes.run(async () => {
      try {
        return await this.#encode(text, ids, options.signal);
      } finally {
        this.#busy = false;
      }
    });
  }

  /** Frees the model's memory, after the question that is being encoded. */
  async close(): Promise<void> {
    await this.#passes.idle();
    await (await this.#network.take())?.close();
  }

  async #encode(text: string, ids: Uint16Array, signal: AbortSignal | undefined): Promise<EncodedQuestion> {
    try {
      const network = await this.#network.get();
      throwIfAborted(signal);
      return await network.encodeQuestion(text, ids);
    } catch (error) {
      throw internalError("the encoder", error);
    }
  }
}
