/** Keys of documents as the section `ids` stores them, in one array: no object and no string for each. */

import { corrupt } from "../format/corrupt.js";
import { fromHex, toHex } from "../format/hex.js";
import { inSlices, type Pause, sortInSlices } from "../format/time-slices.js";

/** Bytes of a row: id hash, content hash, document, passages. */
export const ID_BYTES = 40;
/** Bytes of an id hash and of a content hash. */
export const HASH_BYTES = 16;
const CONTENT = HASH_BYTES;
const DOCUMENT = 2 * HASH_BYTES;
const PASSAGES = DOCUMENT + 4;
const FIRST_ROWS = 64;
/** Rows that are passed on at once. */
const ROWS_AT_ONCE = 1024;

/** What finds and compares a document without reading its record. */
export interface DocumentKey {
  /** `documentIdHash` in 32 hex digits. */
  idHash: string;
  contentHash: string;
  document: number;
  passages: number;
}

export class DocumentKeys {
  #bytes: Uint8Array;
  #view: DataView;
  #length: number;

  /** @param bytes  whole rows */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#length = bytes.length / ID_BYTES;
  }

  /**
   * The rows of a section that are of documents first … end − 1.
   * @throws VerbatimError `corrupt-segment` if one is of no document
   */
  static async read(
    bytes: Uint8Array,
    options: { where: string; count: number; first: number; end: number; pause?: Pause },
  ): Promise<DocumentKeys> {
    const { where, count, first, end, pause } = options;
    const all = new DocumentKeys(bytes);
    const found = first === 0 && end === count ? all : new DocumentKeys();
    const check = (from: number, to: number): void => {
      for (let row = from; row < to; row++) {
        const document = all.document(row);
        if (document >= count) throw corrupt(where, `document ${document} of ${count}`);
        if (found !== all && document >= first && document < end) found.pushRow(all.row(row));
      }
    };
    await inSlices(all.length, check, pause);
    return found;
  }

  get length(): number {
    return this.#length;
  }

  at(row: number): DocumentKey {
    return {
      idHash: toHex(this.row(row).subarray(0, HASH_BYTES)),
      contentHash: this.contentHash(row),
      document: this.document(row),
      passages: this.passages(row),
    };
  }

  document(row: number): number {
    return this.#view.getUint32(row * ID_BYTES + DOCUMENT, true);
  }

  passages(row: number): number {
    return this.#view.getUint32(row * ID_BYTES + PASSAGES, true);
  }

  contentHash(row: number): string {
    return toHex(this.row(row).subarray(CONTENT, DOCUMENT));
  }

  /** The bytes of a row. */
  row(row: number): Uint8Array {
    return this.#bytes.subarray(row * ID_BYTES, (row + 1) * ID_BYTES);
  }

  *[Symbol.iterator](): Generator<DocumentKey> {
    for (let row = 0; row < this.#length; row++) yield this.at(row);
  }

  push({ idHash, contentHash, document, passages }: DocumentKey): void {
    const at = this.#grow();
    this.#bytes.set(fromHex(idHash), at);
    this.#bytes.set(fromHex(contentHash), at + CONTENT);
    this.#view.setUint32(at + DOCUMENT, document, true);
    this.#view.setUint32(at + PASSAGES, passages, true);
  }

  /** Adds the bytes of a row, perhaps under another document number. */
  pushRow(row: Uint8Array, document?: number): void {
    const at = this.#grow();
    this.#bytes.set(row, at);
    if (document !== undefined) this.#view.setUint32(at + DOCUMENT, document, true);
  }

  /**
   * The row of each of `count` documents.
   * @param where  named in an error
   * @throws VerbatimError `corrupt-segment` if a document has none
   */
  rowsByDocument(count: number, where: string): Uint32Array {
    const rows = new Uint32Array(count);
    for (let row = 0; row < this.#length; row++) rows[this.document(row)] = row + 1;
    const missing = rows.indexOf(0);
    if (missing >= 0) throw corrupt(where, `document ${missing} is not in the table of ids`);
    return rows.map((row) => row - 1);
  }

  /** Passes the rows on, ascending by id hash, then document, many at once. */
  async writeSorted(write: (rows: Uint8Array) => Promise<void>, pause: Pause | undefined): Promise<void> {
    const unsorted = Array.from({ length: this.#length }, (_, row) => row);
    const order = await sortInSlices(unsorted, (a, b) => this.#compare(a, b), pause);
    for (let from = 0; from < order.length; from += ROWS_AT_ONCE) {
      const some = new DocumentKeys();
      for (const row of order.slice(from, from + ROWS_AT_ONCE)) some.pushRow(this.row(row));
      await write(some.#bytes.subarray(0, some.#length * ID_BYTES));
      await pause?.();
    }
  }

  #compare(a: number, b: number): number {
    for (let at = 0; at < HASH_BYTES; at += 4) {
      const order = this.#view.getUint32(a * ID_BYTES + at) - this.#view.getUint32(b * ID_BYTES + at);
      if (order !== 0) return order;
    }
    return this.document(a) - this.document(b);
  }

  /** Makes room for a row. @returns where it begins */
  #grow(): number {
    const at = this.#length++ * ID_BYTES;
    if (at + ID_BYTES > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(FIRST_ROWS * ID_BYTES, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}
