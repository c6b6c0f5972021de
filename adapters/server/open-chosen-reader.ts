import { type NodeReader, openInstalledReader, openReader } from "../node/models/reader/reader.js";
import type { ReaderChoice } from "./options.js";

/**
 * @returns undefined with `reader: "off"`, or when no choice was made and no calibrated reader is
 *   installed
 * @throws VerbatimError as `openReader`
 */
export function openChosenReader(
  { reader, readerFolder: folder }: ReaderChoice,
  model: Parameters<typeof openReader>[0]["model"],
): Promise<NodeReader | undefined> {
  if (reader === "off") return Promise.resolve(undefined);
  return folder === undefined && reader === undefined ? openInstalledReader({ model }) : openReader({ folder, model });
}
