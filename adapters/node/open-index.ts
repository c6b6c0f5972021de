/** Opens the index in a folder for asking, with the installed models. */

import { resolve } from "node:path";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex as openFromStorage } from "../../src/api/open-index.js";
import type { Encoder } from "../../src/encode/types.js";
import type { Reader } from "../../src/reader/types.js";
import { requireIndex } from "./index-info.js";
import type { ModelOptions } from "./models/choice.js";
import { openEncoder } from "./models/encoder/encoder.js";
import { FileStorage } from "./storage/file-storage.js";

/** The encoder's model is ignored if `encoder` is given. */
export interface OpenIndexOptions extends ModelOptions {
  /** Folder of the index. */
  path: string;
  /**
   * Encoder threads, 1 to 64; each starts when it is needed, and a single question needs none. Default: one per
   * core. Ignored if `encoder` is given.
   */
  threads?: number;
  /** An encoder to share between indexes; it stays the caller's to close. Default: a new one, closed with the index. */
  encoder?: Encoder;
  /**
   * The network that rereads the best passages (`AskOptions.reader`). A `Reader` from `openReader` stays the caller's
   * to close. "installed" opens the one that ships with the package if it fits the model; "none" opens none.
   * Default: "installed", or "none" if `encoder` is given. Its network is loaded by the first passages that it reads.
   */
  reader?: Reader | "installed" | "none";
  /** Corrects typing mistakes in questions (docs/cli.md). Default true. */
  correctsSpelling?: boolean;
  /** Fails unless the index is at this version, as a commit returned it, or at a newer one. */
  atLeastVersion?: number;
  signal?: AbortSignal;
}

/**
 * Opens the newest committed version of an index.
 * @throws VerbatimError `index-missing`, `model-mismatch`, `model-missing`, `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, `aborted`; `invalid-argument` (older than `atLeastVersion`, or "installed" with an encoder)
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { path, model, modelFolder, threads, encoder, atLeastVersion, correctsSpelling, signal } = options;
  await requireIndex(path); // before the model is loaded
  const shared = { storage: new FileStorage(resolve(path)), atLeastVersion, correctsSpelling, signal };
  const { reader } = options;
  if (encoder !== undefined) {
    const given = typeof reader === "object" ? reader : undefined;
    return openFromStorage({ ...shared, encoder, reader: given });
  }
  const own = await openEncoder({ model, modelFolder, index: path, threads });
  let ownReader: Reader | undefined;
  const onClose = async (): Promise<void> => {
    await ownReader?.close();
    await own.close();
  };
  try {
    if (reader === undefined || reader === "installed") {
      const { openInstalledReader } = await import("./models/reader/reader.js");
      ownReader = await openInstalledReader({ model: own.model, threads });
    }
    const used = typeof reader === "object" ? reader : ownReader;
    return await openFromStorage({ ...shared, encoder: own, reader: used, onClose });
  } catch (error) {
    await onClose();
    throw error;
  }
}
