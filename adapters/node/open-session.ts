/** Opens an index for programs that look inside a search: evaluations, benchmarks, scripts. To ask, use `openIndex`. */

import { resolve } from "node:path";
import type { Encoder } from "../../src/encode/types.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { IndexSnapshot } from "../../src/index/types.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { SearchSession } from "../../src/search/session.js";
import { FileStorage } from "./storage/file-storage.js";

export interface OpenSession {
  readonly session: SearchSession;
  readonly snapshot: IndexSnapshot;
  /** Closes session and snapshot; the encoder stays the caller's. */
  close(): Promise<void>;
}

/**
 * @throws VerbatimError `index-missing`, `model-mismatch`, `corrupt-segment`, `unsupported-format`
 */
export async function openSession(
  path: string,
  encoder: Pick<Encoder, "info" | "tokenizer"> & Partial<Pick<Encoder, "encodePassages">>,
): Promise<OpenSession> {
  const { info: model, tokenizer } = encoder;
  const snapshot = await openSnapshot(new FileStorage(resolve(path)), { expectModel: model });
  const { encodePassages } = encoder;
  const encodes = encodePassages && { encoder: { encodePassages: encodePassages.bind(encoder) } };
  const session = new SearchSession({ snapshot, kernel: createKernel(), model, tokenizer, ...encodes });
  return {
    session,
    snapshot,
    close: async () => {
      session.close();
      await snapshot.close();
    },
  };
}
