/** Hashes of a document's content and of its id (docs/index-format.md §11). */

import type { Document, MetadataValue } from "../../types.js";
import { toHex } from "./hex.js";
import { type Hash, Sha256 } from "./sha256.js";

const UNITS_AT_ONCE = 16_384;
/** Used within one call only. Allocating one per document would cost more than hashing it: most are short. */
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

/**
 * Metadata that describes the file and not its content: a touched or moved file has not changed (docs/index-format.md
 * §11).
 */
const FILE_FIELDS: ReadonlySet<string> = new Set(["file.modified", "file.extension", "file.folder"]);

/**
 * Hash of what decides a document's encoding: title, text and metadata without `file.modified`, `file.extension` and
 * `file.folder`. The order of metadata keys does not matter. docs/index-format.md §11 has the layout of the hashed
 * bytes.
 * @returns 32 hex digits
 */
export function documentContentHash(document: Pick<Document, "title" | "text" | "metadata">): string {
  const hasher = new DocumentHasher(document.title, document.text.length);
  hasher.update(document.text);
  return hasher.digest(document.metadata ?? {});
}

/** The content hash of a text that arrives piece by piece. */
export class DocumentHasher {
  readonly #hash: Hash;

  /**
   * @param textLength  UTF-16 length of the whole text
   * @param hash  a new SHA-256; default: the one in plain TypeScript
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
    const json = canonicalJson(Object.entries(metadata).filter(([name]) => !FILE_FIELDS.has(name)));
    this.#length(json.length);
    this.update(json);
    return toHex(this.#hash.digest().subarray(0, 16));
  }

  #length(length: number): void {
    this.#hash.update(Uint8Array.of(length, length >>> 8, length >>> 16, length >>> 24));
  }
}

/**
 * A flat object as canonical JSON (RFC 8785): keys sorted by UTF-16 units, no white space. Joined here because an
 * object would move keys that look like integers to the front.
 */
function canonicalJson(entries: Array<[key: string, value: MetadataValue]>): string {
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** The id hash: 16 bytes. */
export function documentIdHash(id: string, hash: Hash = new Sha256()): Uint8Array {
  updateWithText(hash, id);
  return hash.digest().slice(0, 16);
}

/** The id hash in hex: the key of a document in tables in memory. */
export function documentKey(id: string, hash?: Hash): string {
  return toHex(documentIdHash(id, hash));
}
