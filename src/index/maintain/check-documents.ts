/** Checks that a segment's records, table of ids, texts and passage places agree. */

import { throwIfAborted } from "../../errors.js";
import { DocumentHasher, documentKey } from "../format/content-hash.js";
import { corrupt } from "../format/corrupt.js";
import type { Hash } from "../format/sha256.js";
import type { DocumentRange } from "../segment/documents.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import type { DecodedPiece } from "../segment/text-pieces.js";
import type { DocumentRecord } from "../types.js";
import type { SegmentCheck } from "./check-job.js";

interface DocumentsCheck extends SegmentCheck {
  /**
   * Receives the id hashes of live documents with their numbers: filled by the first range, for
   * the whole segment.
   */
  ids: Map<string, number>;
  sha256?: () => Hash;
}

/**
 * @param range  documents first … end − 1; the one that begins at 0 also checks the table of ids
 * @throws VerbatimError `corrupt-segment` if the check cannot continue; other problems are reported
 *   one by one
 */
export async function checkDocuments(
  segment: OpenSegment,
  range: DocumentRange,
  options: DocumentsCheck,
): Promise<void> {
  const { problem, signal, sha256 } = options;
  if (range.first === 0) await checkTable(segment, options);
  const keys = await segment.documents.keys(signal, range);
  const rows = new Int32Array(segment.documentCount).fill(-1);
  for (let row = 0; row < keys.length; row++) rows[keys.document(row)] = row;
  const passages = new Uint32Array(segment.documentCount);
  for (const document of segment.passageDocuments) passages[document]!++;
  const lengths = new Float64Array(segment.documentCount);
  const texts = new Texts(segment.text.decoded(range, signal));
  for await (const { document: number, record } of segment.documents.all(signal, range)) {
    throwIfAborted(signal);
    lengths[number] = record.length;
    const row = rows[number]!;
    const key = row < 0 ? undefined : keys.at(row);
    const fits = key?.idHash === documentKey(record.id, sha256?.()) && key.contentHash === record.contentHash;
    if (!fits || key?.passages !== record.passageCount)
      problem("documents", `document ${number} does not match the table of ids`);
    if (record.passageCount !== passages[number]) {
      problem("documents", `document ${number} has ${passages[number]} passages, not ${record.passageCount}`);
    }
    await checkText(texts, { number, record }, options);
  }
  checkPlaces(segment, range, lengths);
}

async function checkTable(segment: OpenSegment, { problem, signal, ids }: DocumentsCheck): Promise<void> {
  const known = new Uint8Array(segment.documentCount);
  let before = "";
  const keys = await segment.documents.keys(signal);
  for (let row = 0; row < keys.length; row++) {
    const { idHash, document } = keys.at(row);
    if (before > idHash) problem("documents", `entry ${row} of the table of ids is out of order`);
    before = idHash;
    if (known[document]! > 0) problem("documents", `document ${document} is in the table of ids twice`);
    known[document] = 1;
    if (segment.isDeleted(document)) continue;
    if (ids.has(idHash)) problem("documents", `document ${document} is in the index twice`);
    ids.set(idHash, document);
  }
}

/** Groups a stream of pieces by document. */
class Texts {
  readonly #batches: AsyncGenerator<DecodedPiece[]>;
  #pieces: readonly DecodedPiece[] = [];
  #at = 0;

  constructor(batches: AsyncGenerator<DecodedPiece[]>) {
    this.#batches = batches;
  }

  /** The next piece if it is of this document. Documents are asked for in order. */
  async next(document: number): Promise<DecodedPiece | undefined> {
    if (this.#at === this.#pieces.length) {
      const { value, done } = await this.#batches.next();
      this.#pieces = done === true ? [] : value;
      this.#at = 0;
    }
    const piece = this.#pieces[this.#at];
    if (piece?.document !== document) return undefined;
    this.#at++;
    return piece;
  }
}

async function checkText(
  texts: Texts,
  { number, record }: { number: number; record: DocumentRecord },
  { problem, sha256 }: DocumentsCheck,
): Promise<void> {
  const hasher = new DocumentHasher(record.title, record.length, sha256?.());
  let length = 0;
  for (let piece = await texts.next(number); piece !== undefined; piece = await texts.next(number)) {
    if (piece.start !== length)
      problem("text", `a piece of document ${number} begins at ${piece.start}, not ${length}`);
    hasher.update(piece.text);
    length += piece.text.length;
  }
  if (length !== record.length) problem("text", `document ${number} has ${length} UTF-16 units, not ${record.length}`);
  if (hasher.digest(record.metadata) !== record.contentHash)
    problem("text", `document ${number} has another content hash than its record says`);
  if (record.map.segments.some(({ start }) => start > record.length))
    problem("documents", `the map of document ${number} points outside of its text`);
}

/** @param lengths  UTF-16 length of each document's text in the range */
function checkPlaces(segment: OpenSegment, range: DocumentRange, lengths: Float64Array): void {
  const { document, start, end } = segment.columns;
  for (let p = 0; p < segment.passageCount; p++) {
    if (document[p]! < range.first || document[p]! >= range.end) continue;
    const length = lengths[document[p]!]!;
    if (end[p]! > length) {
      const place = `${start[p]} … ${end[p]} of ${length} UTF-16 units`;
      throw corrupt(`${segment.name}.passages`, `passage ${p}: its span is ${place}`);
    }
  }
}
