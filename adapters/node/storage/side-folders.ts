/** Folders inside the folder of an index for what is not part of the index; a snapshot's files do not include them. */

import { join } from "node:path";

/** Recognised pages of scans; see `RecognitionCache`. */
export function ocrCacheOf(indexFolder: string): string {
  return join(indexFolder, "ocr");
}
