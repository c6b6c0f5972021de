/** Opens the index in a folder with its networks, and closes them in order. */

import type { Index } from "../../src/api/index-handle.js";
import type { Encoder } from "../../src/encode/types.js";
import type { Reader } from "../../src/reader/types.js";
import type { ModelFile } from "../node/models/encoder/model-folder.js";
import { indexFolder } from "./index-folder.js";
import { openReaderFor } from "./open-reader.js";
import { modelOf, type ReaderFlags } from "./options.js";
import type { Io } from "./process-io.js";

interface EncoderFlags {
  index: string;
  model?: string;
  threads?: number;
}

interface FolderWithEncoder {
  /** Absolute path of the index. */
  path: string;
  encoder: Encoder & { readonly model: ModelFile };
}

interface OpenIndex extends FolderWithEncoder {
  reader: Reader | undefined;
  index: Index;
}

/**
 * Opens the encoder of an index, calls `work`, and closes the encoder, also after an error.
 * @throws VerbatimError as `indexFolder` and `openEncoder`; what `work` throws
 */
export async function withEncoder<T>(
  flags: EncoderFlags,
  io: Io,
  work: (opened: FolderWithEncoder) => Promise<T>,
): Promise<T> {
  const path = await indexFolder(flags.index, io);
  const { openEncoder } = await import("../node/models/encoder/encoder.js");
  const encoder = await openEncoder({ ...modelOf(flags.model, io), index: path, threads: flags.threads });
  try {
    return await work({ path, encoder });
  } finally {
    await encoder.close();
  }
}

/**
 * Opens an index with its encoder and, unless `flags.reader` is "off", the reader that the flags
 * select; calls `work`, and closes all three, also after an error.
 * @throws VerbatimError as `withEncoder`, `openReaderFor` and `openIndex`; what `work` throws
 */
export async function withIndex<T>(
  flags: EncoderFlags & ReaderFlags & { strategy?: string },
  io: Io,
  work: (opened: OpenIndex) => Promise<T>,
): Promise<T> {
  return withEncoder(flags, io, async ({ path, encoder }) => {
    const reader = await openReaderFor(flags, { model: encoder.model, io, threads: flags.threads });
    try {
      const { openIndex } = await import("../node/open-index.js");
      const index = await openIndex({ path, encoder, reader, signal: io.signal });
      try {
        return await work({ path, encoder, reader, index });
      } finally {
        await index.close();
      }
    } finally {
      await reader?.close();
    }
  });
}
