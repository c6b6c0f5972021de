/** Whether a segment's records, its table of ids, its texts and the places of its passages agree. */

import { throwIfAborted } from "../errors.js";
import type { SegmentCheck } from "./check-job.js";
import { DocumentHasher, documentKey, type Hash } from "./content-hash.js";
import { corrupt } from "./corrupt.js";
import type { DocumentKey } from "./documents.js";
import type { OpenSegment } from "./segment-reader.js";
import type { DocumentRecord } from "./types.js";

const TEXT_AT_ONCE = 1 << 18;

export interface DocumentsCheck extends SegmentCheck {
  /** Live documents, by the hash of their id, are put here with their numbers. */
  ids: Map<string, number>;
  sha256?: () => Hash;
}

/** @throws VerbatimError `corrupt-segment` when something is too wrong to go on; lesser faults are told one by one */
export async function checkDocuments(segment: OpenSegment, options: DocumentsCheck): Promise<void> {
  const { problem, signal, ids, sha256 } = options;
  const byNumber = await checkKeys(segment, options);
  const passages = new Uint32Array(segment.documentCount);
  for (const document of segment.passageDocuments) passages[document]!++;
  const lengths = new Float64Array(segment.documentCount);
  for await (const { document: number, record } of segment.documents.all(signal)) {
    throwIfAborted(signal);
    lengths[number] = record.length;
    const key = byNumber[number];
    const fits = key?.idHash === documentKey(record.id, sha256?.()) && key.contentHash === record.contentHash;
    if (!fits || key?.passages !== record.passageCount)
      problem("documents", `document ${number} is not as the table of ids says`);
    if (record.passageCount !== passages[number]) {
      problem("documents", `document ${number} has ${passages[number]} passages, not ${record.passageCount}`);
    }
    if (key && !segment.isDeleted(number)) {
      if (ids.has(key.idHash)) problem("documents", `document ${number} ("${record.id}") is in the index twice`);
      ids.set(key.idHash, number);
    }
    await checkText(segment, { number, record }, options);
  }
  checkPlaces(segment, lengths);
}

async function checkKeys(segment: OpenSegment, { problem, signal }: DocumentsCheck): Promise<DocumentKey[]> {
  const keys = await segment.documents.keys(signal);
  const byNumber: DocumentKey[] = [];
  for (const [i, key] of keys.entries()) {
    if (i > 0 && keys[i - 1]!.idHash > key.idHash)
      problem("documents", `entry ${i} of the table of ids is out of order`);
    if (byNumber[key.document]) problem("documents", `document ${key.document} is in the table of ids twice`);
    byNumber[key.document] = key;
  }
  return byNumber;
}

async function checkText(
  segment: OpenSegment,
  { number, record }: { number: number; record: DocumentRecord },
  { problem, signal, sha256 }: DocumentsCheck,
): Promise<void> {
  const hasher = new DocumentHasher(record.title, record.length, sha256?.());
  let length = 0;
  for (let piece = " "; piece !== "" && length <= record.length; length += piece.length) {
    piece = await segment.readText(number, length, length + TEXT_AT_ONCE, signal);
    hasher.update(piece);
  }
  if (length !== record.length) problem("text", `document ${number} has ${length} UTF-16 units, not ${record.length}`);
  if (hasher.digest(record.metadata) !== record.contentHash)
    problem("text", `document ${number} has another content hash than its record says`);
  if (record.map.segments.some(({ start }) => start > record.length))
    problem("documents", `the map of document ${number} leads out of its text`);
}

/** @param lengths  UTF-16 length of every document's text */
function checkPlaces(segment: OpenSegment, lengths: Float64Array): void {
  const { document, start, end } = segment.columns;
  for (let p = 0; p < segment.passageCount; p++) {
    const length = lengths[document[p]!]!;
    if (end[p]! > length) {
      const place = `${start[p]} … ${end[p]} of ${length} UTF-16 units`;
      throw corrupt(`${segment.name}.passages`, `passage ${p}: a passage lies at ${place}`);
    }
  }
}
