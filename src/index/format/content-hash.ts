/** Hashes of a document's content and of its id (docs/index-format.md §11). */

import type { Document, MetadataValue } from "../../types.js";
import { toHex } from "./hex.js";
import { type Hash, Sha256 } from "./sha256.js";

const UNITS_AT_ONCE = 16_384;
/** Used within one call only. A new one for each document would cost more than hashing it: most are short. */
const scratch = new Uint8Array(UNITS_AT_ONCE * 2);

function updateWithText(hash: Hash, text: string): void {
  for (let from = 0; from < text.length; from += UNITS_AT_ONCE) {
    const to = Math.min(text.length, from + UNITS_AT_ONCE);
    for (let i = from, at = 0; i < to; i++) {
      const unit = text.charCodeAt(i);
      scratch[at++] = unit & 255;
      scratch[at++] = unit >>> 8;
    }
    hash.update(scratch.subarray(0, (to - from) * 2));
  }
}

/** Metadata that is of the file and not of its content: a file that is touched or moved has not changed. docs/index-format.md §11 */
const FILE_FIELDS: ReadonlySet<string> = new Set(["file.modified", "file.extension", "file.folder"]);

/**
 * What a document says, in 32 hex digits: equal for the same title, text and metadata (in any order of keys, and whatever its
 * `file.modified`, `file.extension` and `file.folder` are), different otherwise. The layout of the hashed bytes is in docs/index-format.md §11.
 */
export function documentContentHash(document: Pick<Document, "title" | "text" | "metadata">): string {
  const hasher = new DocumentHasher(document.title, document.text.length);
  hasher.update(document.text);
  return hasher.digest(document.metadata ?? {});
}

/** The same for a text that comes piece by piece. */
export class DocumentHasher {
  readonly #hash: Hash;

  /**
   * @param textLength  UTF-16 length of all pieces together
   * @param hash  a new SHA-256; default: the plain one of this file
   */
  constructor(title: string, textLength: number, hash: Hash = new Sha256()) {
    this.#hash = hash;
    updateWithText(this.#hash, "verbatim-document-1");
    this.#length(title.length);
    this.update(title);
    this.#length(textLength);
  }

  update(text: string): void {
    updateWithText(this.#hash, text);
  }

  digest(metadata: Record<string, MetadataValue>): string {
    const counted = Object.entries(metadata).filter(([name]) => !FILE_FIELDS.has(name));
    const sorted = Object.fromEntries(counted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    const json = JSON.stringify(sorted);
    this.#length(json.length);
    this.update(json);
    return toHex(this.#hash.digest().subarray(0, 16));
  }

  #length(length: number): void {
    this.#hash.update(Uint8Array.of(length, length >>> 8, length >>> 16, length >>> 24));
  }
}

/** 16 bytes that stand for a document's id. */
export function documentIdHash(id: string, hash: Hash = new Sha256()): Uint8Array {
  updateWithText(hash, id);
  return hash.digest().slice(0, 16);
}

/** The same in hex: what tables in memory know a document by. */
export function documentKey(id: string, hash?: Hash): string {
  return toHex(documentIdHash(id, hash));
}
