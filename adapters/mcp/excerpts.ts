/**
 * Reads passages of documents with their place in the source, without holding whole documents in
 * memory.
 */

import type { QuotePlace } from "../../src/quote/types.js";
import { countNewlines } from "../../src/text/newlines.js";
import { placeOf } from "../../src/text/place.js";
import type { DocumentStore } from "../server/document-store.js";

/** Text that is read at a time to count lines, in UTF-16 units. */
const WINDOW_UNITS = 65_536;

/**
 * Reads excerpts for one call: the lines of a document are counted once, however many excerpts it
 * has.
 */
export class ExcerptReader {
  readonly #documents: DocumentStore;
  /** Newlines in each window, by document id. */
  readonly #newlines = new Map<string, number[]>();

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** @returns undefined if there is no such document */
  async read(documentId: string, start: number, end: number): Promise<QuotePlace | undefined> {
    const [record, text] = await Promise.all([
      this.#documents.record(documentId),
      this.#documents.text(documentId, start, end),
    ]);
    if (record === undefined || text === undefined) return undefined;
    const { title, source, map } = record;
    let lineFrom = -1;
    const place = placeOf(map, start, (from) => {
      lineFrom = from;
      return 0;
    });
    if (place.line !== undefined && lineFrom >= 0)
      place.line += (await this.#before(documentId, start)) - (await this.#before(documentId, lineFrom));
    return { documentId, title, source, start, end, place, text: detach(text) };
  }

  /** Newlines in the document's text before the offset. */
  async #before(documentId: string, offset: number): Promise<number> {
    const counts = this.#newlines.get(documentId) ?? [];
    this.#newlines.set(documentId, counts);
    const whole = Math.floor(offset / WINDOW_UNITS);
    let sum = 0;
    for (let n = 0; n < whole; n++) {
      counts[n] ??= await this.#count(documentId, n * WINDOW_UNITS, (n + 1) * WINDOW_UNITS);
      sum += counts[n]!;
    }
    return sum + (await this.#count(documentId, whole * WINDOW_UNITS, offset));
  }

  async #count(documentId: string, from: number, to: number): Promise<number> {
    return from === to ? 0 : countNewlines((await this.#documents.text(documentId, from, to)) ?? "");
  }
}

/**
 * The same text in memory of its own: V8 keeps the whole string alive of which another is a slice.
 */
export function detach(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
