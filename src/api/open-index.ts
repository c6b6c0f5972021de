/** Opens an index from a storage for asking. */

import type { Encoder } from "../encode/types.js";
import { openSnapshot } from "../index/open-snapshot.js";
import type { Storage } from "../index/ports.js";
import { createKernel, type Kernel } from "../kernel/kernel.js";
import type { Reader } from "../reader/types.js";
import type { FindSharedVectors } from "../search/passage-vectors.js";
import { Index } from "./index-handle.js";
import { OpenVersions } from "./open-versions.js";

export interface OpenIndexOptions {
  storage: Storage;
  /** The encoder of the model that the index was made with. The caller closes it. */
  encoder: Encoder;
  /** Rereads the best passages (`AskOptions.reader`). The caller closes it. Default: none. */
  reader?: Reader;
  /** Default: the WASM SIMD kernel, or its TypeScript twin where SIMD is not available. */
  kernel?: Kernel;
  /**
   * Passage vectors that several threads use, which each would otherwise load for itself. Default: none.
   * @internal
   */
  findSharedVectors?: FindSharedVectors;
  /** Fails unless the index is at this version, as a commit returned it, or at a newer one. */
  atLeastVersion?: number;
  signal?: AbortSignal;
  /** Corrects typing mistakes in questions, which takes hundreds of look-ups each. Default true. */
  correctsSpelling?: boolean;
  /** Runs after the index has closed: for what was opened together with it. */
  onClose?: () => Promise<void>;
}

/**
 * Opens the newest committed version of an index.
 * @throws VerbatimError `index-missing`, `invalid-argument` (older than `atLeastVersion`), `corrupt-manifest`,
 *   `corrupt-segment`, `unsupported-format`, `model-mismatch`
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { storage, encoder, reader, signal, atLeastVersion, correctsSpelling = true, onClose } = options;
  const snapshot = await openSnapshot(storage, { signal, expectModel: encoder.info, atLeastVersion });
  try {
    const { kernel = createKernel(), findSharedVectors } = options;
    const source = new OpenVersions({ storage, encoder, kernel, findSharedVectors }, snapshot);
    return new Index({ encoder, reader, source, correctsSpelling, onClose });
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
