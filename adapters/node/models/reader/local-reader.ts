/**
 * The reader in the caller's own thread, which it blocks while the network runs: for worker threads
 * that have nothing else to do.
 */

import { throwIfAborted } from "../../../../src/errors.js";
import { LoadOnce } from "../../../../src/load-once.js";
import type { Reader, ReaderInfo, ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { internalError } from "../../threads/worker-pool.js";
import type { ReaderNetwork } from "./reader-network.js";
import type { ReaderSetup } from "./reader-service.js";

export class LocalReader implements Reader {
  readonly info: ReaderInfo;
  /** One passage at a time, so that none is read in vain when the one before it settles the answer. */
  readonly lanes = 1;
  readonly #network: LoadOnce<ReaderNetwork>;

  /** @param networkThreads  threads that share the work on one input, 1… */
  constructor({ folder, info }: ReaderSetup, networkThreads: number) {
    this.info = info;
    this.#network = new LoadOnce(async () => {
      // on demand: most questions are answered without the reader
      const { ReaderNetwork } = await import("./reader-network.js");
      return ReaderNetwork.open(folder, info.files, networkThreads);
    });
  }

  /**
   * The first call opens the network.
   * @throws VerbatimError `aborted`, `internal`, `model-missing`
   */
  async read(
    inputs: readonly ReaderInput[],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<ReaderOutput[]> {
    try {
      const network = await this.#network.get();
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
    await (await this.#network.take())?.close();
  }
}
