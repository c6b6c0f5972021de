/** A stored document in the form in which it was added: its record and its text. */

import type { Document } from "../../types.js";
import type { DocumentRecord, SegmentReader } from "../types.js";

/**
 * Reads a document back.
 * @param number  of the document in the segment
 * @throws VerbatimError `corrupt-segment`, `aborted`
 */
export async function readWholeDocument(
  segment: Pick<SegmentReader, "readDocument" | "readText">,
  number: number,
  signal?: AbortSignal,
): Promise<Document> {
  const record = await segment.readDocument(number, signal);
  return documentOf(record, await segment.readText(number, 0, record.length, signal));
}

/** @param text  the document's whole text */
export function documentOf({ id, title, source, map, headings, metadata }: DocumentRecord, text: string): Document {
  return { id, title, source, text, map, ...(headings === undefined ? {} : { headings }), metadata };
}
