/** Finds which documents are lost: named if their names can be read, counted otherwise. */

import { openContainer } from "../format/container.js";
import { type Manifest, type ManifestSegment, segmentFile, tombstonesFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { DocumentsReader } from "../segment/documents.js";
import { readTombstones, Tombstones } from "../segment/tombstones.js";
import { asProblem } from "./check-problem.js";
import { retryOnce } from "./retry-once.js";

/** A document whose stored form is lost, with its source. */
export interface LostDocument {
  id: string;
  source: string;
}

export interface LostDocuments {
  named: LostDocument[];
  /** Further lost documents, whose names cannot be read. */
  unknown: number;
}

/** @param numbers  of documents of the segment */
export async function namesOf(
  documents: DocumentsReader,
  numbers: readonly number[],
  signal: AbortSignal | undefined,
): Promise<LostDocuments> {
  const lost: LostDocuments = { named: [], unknown: 0 };
  for (const document of numbers) {
    try {
      const { id, source } = await retryOnce(() => documents.read(document, signal));
      lost.named.push({ id, source });
    } catch (error) {
      asProblem(error, "documents");
      lost.unknown++;
    }
  }
  return lost;
}

/** All live documents of a segment that is dropped. */
export async function namesOfSegment(
  storage: Storage,
  segment: ManifestSegment,
  { manifest, signal }: { manifest: Manifest; signal?: AbortSignal },
): Promise<LostDocuments> {
  const { passageModelHash } = manifest.model;
  let deleted = new Tombstones(segment.documents);
  try {
    const file = tombstonesFile(segment);
    const options = { documentCount: segment.documents, passageModelHash, signal };
    if (file) deleted = await retryOnce(() => readTombstones(storage, file, options));
  } catch (error) {
    asProblem(error, segment.name); // deleted documents may be among them: reading their sources again does no harm
  }
  const numbers = Array.from({ length: segment.documents }, (_, document) => document).filter((d) => !deleted.has(d));
  try {
    const file = segmentFile(segment, "documents")!;
    const container = await retryOnce(() =>
      openContainer(storage, file, { component: "documents", passageModelHash, signal }),
    );
    try {
      return await namesOf(new DocumentsReader(container, segment.documents), numbers, signal);
    } finally {
      await container.close();
    }
  } catch (error) {
    asProblem(error, segment.name);
    return { named: [], unknown: numbers.length };
  }
}
