/**
 * The reader in the caller's own thread, which it blocks while the network runs: for worker threads
 * that have nothing else to do.
 */

import { throwIfAborted } from "../../../../src/errors.js";
import type { Reader, ReaderInfo, ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { internalError } from "../../threads/worker-pool.js";
import type { ReaderNetwork } from "./reader-network.js";
import type { ReaderSetup } from "./reader-service.js";

export class LocalReader implements Reader {
  readonly info: ReaderInfo;
  /** One passage at a time, so that none is read in vain when the one before it settles the answer. */
  readonly lanes = 1;
  readonly #setup: ReaderSetup;
  readonly #networkThreads: number;
  #network: Promise<ReaderNetwork> | undefined;

  /** @param networkThreads  threads that share the work on one input, 1… */
  constructor(setup: ReaderSetup, networkThreads: number) {
    this.#setup = setup;
    this.#networkThreads = networkThreads;
    this.info = setup.info;
  }

  /**
   * The first call opens the network.
   * @throws VerbatimError `aborted`, `internal`, `model-missing`
   */
  async read(
    inputs: readonly ReaderInput[],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<ReaderOutput[]> {
    this.#network ??= this.#open();
    try {
      const network = await this.#network;
      const outputs: ReaderOutput[] = [];
      for (const input of inputs) {
        throwIfAborted(signal);
        outputs.push(await network.read(input));
      }
      return outputs;
    } catch (error) {
      throw internalError("the reader", error);
    }
  }

  /** Frees the memory. No call may be in progress, or follow. */
  async close(): Promise<void> {
    await (await this.#network?.catch(() => undefined))?.close();
    this.#network = undefined;
  }

  /** Loads ONNX Runtime on demand: most questions are answered without the reader. */
  async #open(): Promise<ReaderNetwork> {
    try {
      const { ReaderNetwork } = await import("./reader-network.js");
      const { folder, info } = this.#setup;
      return await ReaderNetwork.open(folder, info.files, this.#networkThreads);
    } catch (error) {
      this.#network = undefined; // the next call tries again
      throw error;
    }
  }
}
