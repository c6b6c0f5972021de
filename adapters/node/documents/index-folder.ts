/** Distinguishes an index of Verbatim from a folder of documents, so that an index is never indexed. */

import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

const MANIFEST = /^manifest-[1-9]\d*\.json$/;
/** A segment file: docs/index-format.md, section 1. */
const SEGMENT_FILE = /^s\d{6,}\.[a-z]+(-\d+)?$/;
const FORMAT = /"format"\s*:\s*"verbatim-index"/;
const HEAD_BYTES = 4096;

/**
 * True for a folder with a `manifest-<n>.json` of Verbatim: one with its format name, or, in case it is damaged, with a
 * segment file next to it. False for a folder that cannot be listed (reading it reports why).
 */
export async function isIndexFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  const manifest = names.find((name) => MANIFEST.test(name));
  if (manifest === undefined) return false;
  if (names.some((name) => SEGMENT_FILE.test(name))) return true;
  try {
    const file = await open(join(folder, manifest), "r");
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return FORMAT.test(buffer.toString("latin1", 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
