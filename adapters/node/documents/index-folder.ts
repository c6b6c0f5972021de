/** Distinguishes an index of Verbatim from a folder of documents, so that an index is never indexed. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileHead } from "./byte-stream.js";

const MANIFEST = /^manifest-[1-9]\d*\.json$/;
/** A segment file: docs/index-format.md, section 1. */
const SEGMENT_FILE = /^s\d{6,}\.[a-z]+(-\d+)?$/;
const FORMAT = /"format"\s*:\s*"verbatim-index"/;

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
    return FORMAT.test(await fileHead(join(folder, manifest)));
  } catch {
    return false;
  }
}
