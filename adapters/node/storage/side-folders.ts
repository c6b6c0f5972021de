/** Folders inside the folder of an index for what is not part of the index. */

import { join } from "node:path";
import { KeptOriginals } from "./kept-originals.js";

/** Recognised pages of scans; see `RecognitionCache`. */
export function ocrCacheOf(indexFolder: string): string {
  return join(indexFolder, "ocr");
}

/** Files of documents that were uploaded; see `KeptOriginals`. */
export function originalsOf(indexFolder: string): string {
  return join(indexFolder, "originals");
}

/** Copies what belongs to the documents of an index, after the index itself. */
export async function copySideFolders(indexFolder: string, target: string): Promise<void> {
  await new KeptOriginals(originalsOf(indexFolder)).copyTo(originalsOf(target));
}
