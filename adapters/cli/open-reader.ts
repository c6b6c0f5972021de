/** Opens the reader that the options select, if any. */

import type { Reader } from "../../src/reader/types.js";
import type { ModelFile } from "../node/models/encoder/model-folder.js";
import { wrongUse } from "./errors.js";
import { type ReaderFlags, readerFolder } from "./options.js";
import type { Io } from "./process-io.js";

/** Whether there is a reader for the model, which `--reader off` leaves closed. */
export async function hasReaderFor(
  { readerModel }: Pick<ReaderFlags, "readerModel">,
  model: ModelFile,
  io: Io,
): Promise<boolean> {
  if (readerFolder(readerModel, io) !== undefined) return true;
  const { installedReaderFolder } = await import("../node/models/reader/reader-folder.js");
  return (await installedReaderFolder(model).catch(() => undefined)) !== undefined;
}

/**
 * `--reader off` opens none. Without `--reader` an installed or named reader is opened if there is
 * one. `auto`, `on` and `sparta-reader` require one.
 * @throws VerbatimError `model-missing`, `model-mismatch`, `unsupported-format`; `invalid-argument`
 *   for `sparta-reader` without a reader
 */
export async function openReaderFor(
  flags: ReaderFlags & { strategy?: string },
  parts: { model: ModelFile; io: Io; threads?: number },
): Promise<Reader | undefined> {
  const { model, io, threads } = parts;
  const readerOnly = flags.strategy === "sparta-reader";
  if (readerOnly && flags.reader === "off") {
    throw wrongUse("--strategy sparta-reader needs the reader, but --reader is off.", "Remove one of the two options.");
  }
  if (flags.reader === "off") return undefined;
  const { openChosenReader } = await import("../node/models/reader/reader.js");
  const reader = readerOnly ? "on" : flags.reader;
  return openChosenReader({ reader, folder: readerFolder(flags.readerModel, io), model, threads });
}
