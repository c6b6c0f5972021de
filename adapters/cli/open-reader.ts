/** The reader that a command line asks for, if it asks for one. */

import type { Reader } from "../../src/reader/types.js";
import type { ModelFile } from "../node/models/encoder/model-folder.js";
import { wrongUse } from "./errors.js";
import { type ReaderFlags, readerFolder } from "./options.js";
import type { Io } from "./process-io.js";

/**
 * `--reader off`: none. Not said: the one that is named or installed, if there is one. `auto`, `on` and `sparta-reader`: it must be there.
 * @throws VerbatimError `model-missing`, `model-mismatch`, `unsupported-format`; `invalid-argument` for `sparta-reader` without a reader
 */
export async function openReaderFor(
  flags: ReaderFlags & { strategy?: string },
  parts: { model: ModelFile; io: Io; threads?: number },
): Promise<Reader | undefined> {
  const { model, io, threads } = parts;
  const readerOnly = flags.strategy === "sparta-reader";
  if (readerOnly && flags.reader === "off") {
    throw wrongUse("--strategy sparta-reader reads, and --reader off does not.", "Leave out one of the two.");
  }
  if (flags.reader === "off") return undefined;
  const folder = readerFolder(flags.readerModel, io);
  const { openInstalledReader, openReader } = await import("../node/models/reader/reader.js");
  if (folder !== undefined || readerOnly || flags.reader !== undefined) return openReader({ folder, model, threads });
  return openInstalledReader({ model, threads });
}
