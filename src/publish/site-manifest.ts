/** The manifest and the file table of a published site (docs/browser.md). */

import { VerbatimError } from "../errors.js";
import { crc32c } from "../index/format/crc32c.js";

export const SITE_FORMAT_VERSION = 1;
export const SITE_MANIFEST = "manifest.json";

export type SiteLevel = "terms" | "full";

/**
 * `manifest.json`: small, the only file that is requested again at every visit. It names blobs;
 * blob x is the file `data/x.bin`.
 */
export interface SiteManifest {
  formatVersion: number;
  title: string;
  level: SiteLevel;
  documents: number;
  passages: number;
  /** Blob of the start file (src/publish/start.ts). */
  start: string;
  /** Blob of the list of documents, for shared links. */
  list: string;
  /** Blob of the file table, at level "full". */
  files?: string;
  /**
   * Address of the script that runs the phrase model in a worker, at level "full"; relative to the
   * site.
   */
  worker?: string;
  /** Files of the page, relative to the site, which an offline visit needs in addition to blobs. */
  assets: string[];
  /**
   * Size of the blobs for sentences, of those for phrases, and the part of the latter that is model
   * and runtime.
   */
  bytes: { terms: number; phrases: number; model: number };
}

/**
 * A file in chunks of one size; the last may be shorter. Each chunk is a blob, read whole or by
 * Range.
 */
export interface SiteFile {
  name: string;
  bytes: number;
  /** A multiple of the table's `blockBytes`. */
  chunkBytes: number;
  chunks: string[];
}

/**
 * The blobs of each file. Files below `index/` are those of the index; below `model/` are the model
 * and ONNX Runtime.
 */
export interface FileTable {
  blockBytes: number;
  /** Blob with the CRC32C of every block of every file, in order, as u32 little-endian. */
  crcs: string;
  files: SiteFile[];
}

const TAIL = /^,\n "crc32c": "([0-9a-f]{8})"\n\}\n$/;
const TAIL_CHARACTERS = 26;
const NAME = /^[0-9a-f]{16}$/;

export function encodeSiteManifest(manifest: SiteManifest): string {
  const body = JSON.stringify({ format: "verbatim-site", ...manifest }, null, 1).slice(0, -2);
  return `${body},\n "crc32c": "${checksum(body)}"\n}\n`;
}

/** @throws VerbatimError `corrupt-manifest` | `unsupported-format` */
export function decodeSiteManifest(text: string, where: string): SiteManifest {
  const body = text.slice(0, -TAIL_CHARACTERS);
  const crc = TAIL.exec(text.slice(-TAIL_CHARACTERS))?.[1];
  if (crc === undefined || crc !== checksum(body)) throw damaged(where, "its checksum does not match");
  let json: Partial<SiteManifest> & { format?: string };
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged(where, "it is not JSON");
  }
  const { format, formatVersion, title, level, documents, passages, start, list, files, worker, assets, bytes } = json;
  if (format !== "verbatim-site") throw damaged(where, "it is not the manifest of a site");
  if (formatVersion !== SITE_FORMAT_VERSION) {
    throw new VerbatimError("unsupported-format", `${where} has format version ${formatVersion}.`, {
      found: formatVersion,
      expected: SITE_FORMAT_VERSION,
      where,
      hint: "Reload the page; if that does not help, publish the index again.",
    });
  }
  const names = level === "full" ? [start, list, files] : [start, list];
  const fits =
    typeof title === "string" &&
    (level === "terms" || level === "full") &&
    [documents, passages, bytes?.terms, bytes?.phrases, bytes?.model].every(
      (n) => Number.isSafeInteger(n) && n! >= 0,
    ) &&
    (worker === undefined || typeof worker === "string") &&
    Array.isArray(assets) &&
    names.every((name) => typeof name === "string" && NAME.test(name));
  if (!fits) throw damaged(where, "a field is missing");
  return json as SiteManifest;
}

const checksum = (text: string): string => crc32c(new TextEncoder().encode(text)).toString(16).padStart(8, "0");

function damaged(where: string, what: string): VerbatimError {
  const hint = "Reload the page; if that does not help, publish the index again.";
  return new VerbatimError("corrupt-manifest", `${where} is damaged: ${what}.`, { where, hint });
}

/** @returns first block and number of blocks of each file, in the order of the table */
export function blocksOf({ files, blockBytes }: FileTable): { first: number; count: number }[] {
  let first = 0;
  return files.map(({ bytes }) => {
    const range = { first, count: Math.ceil(bytes / blockBytes) };
    first += range.count;
    return range;
  });
}
