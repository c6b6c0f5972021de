/** Tells an index folder of Verbatim from a folder of documents, so that an index is never indexed. */

import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

const MANIFEST = /^manifest-\d+\.json$/;
/** Components of a segment file, `<segment>.<component>` (docs/index-format.md). */
const COMPONENT = /\.(documents|text|terms|tfidf|phrases|ngrams|tombstones-\d+)$/;
const HEAD_BYTES = 64 * 1024;

/**
 * True for a folder with a `manifest-<n>.json` of ours: one that has a segment file beside it, or that speaks of Verbatim.
 * False for a folder that cannot be listed (reading it will say why).
 */
export async function isIndexFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  const manifest = names
    .filter((name) => MANIFEST.test(name))
    .sort()
    .at(-1);
  if (manifest === undefined) return false;
  if (names.some((name) => COMPONENT.test(name))) return true;
  try {
    const file = await open(join(folder, manifest), "r");
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return /verbatim/i.test(buffer.toString("latin1", 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
