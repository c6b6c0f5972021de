/** Opens an index for programs that look inside a search: evaluations, benchmarks, scripts. To ask, use `openIndex`. */

import { resolve } from "node:path";
import type { Encoder } from "../../src/encode/types.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { IndexSnapshot } from "../../src/index/types.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { Searcher } from "../../src/search/searcher.js";
import { FileStorage } from "./storage/file-storage.js";

export interface OpenSearcher {
  readonly searcher: Searcher;
  readonly snapshot: IndexSnapshot;
  /** Closes searcher and snapshot; the encoder stays the caller's. */
  close(): Promise<void>;
}

/**
 * @throws VerbatimError `index-missing`, `model-mismatch`, `corrupt-segment`, `unsupported-format`
 */
export async function openSearcher(
  path: string,
  encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>,
): Promise<OpenSearcher> {
  const { info: model, tokenizer } = encoder;
  const snapshot = await openSnapshot(new FileStorage(resolve(path)), { expectModel: model });
  const { encodePassages } = encoder;
  const encodes = encodePassages && { encoder: { encodePassages: encodePassages.bind(encoder) } };
  const searcher = new Searcher({ snapshot, kernel: createKernel(), model, tokenizer, ...encodes });
  return {
    searcher,
    snapshot,
    close: async () => {
      searcher.close();
      await snapshot.close();
    },
  };
}
