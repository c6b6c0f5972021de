/**
 * Merges segments into one, without deleted documents and without the network. Rows, n-gram
 * records, postings, texts and maps are copied as they are, so the result has the bytes that a
 * writer would have written for the same documents. Sources with finer steps than the coarsest one
 * are packed again at its steps, so nothing is rounded twice.
 */

import type { IndexLevel } from "../format/level.js";
import type { ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import type { DocumentKeys } from "../segment/document-keys.js";
import { createContainers, discard, filesOf, newEntry } from "../segment/segment-writer.js";
import { mergeDocuments, mergeText } from "./merge-documents.js";
import { mergeTerms, mergeTfidf } from "./merge-lists.js";
import { mergeColumns, mergeNgrams, mergePhrases, mergeVectors } from "./merge-passages.js";
import { commonLevel, type MergeOptions, type MergeSource, MergeWork } from "./merge-work.js";

export interface MergedSegment {
  entry: ManifestSegment;
  /** For each source: new number of each document, −1 if it was dropped. */
  documents: Int32Array[];
  /** Number of passages of each new document. */
  passages: Uint32Array;
  /** Keys of the new documents, in their order. */
  keys: DocumentKeys;
}

/**
 * Writes the synced files of segment `name` at the level of the sources. Names are durable after
 * `syncDirectory`, and the segment takes effect with the next manifest. Memory: tables of passages
 * and documents and pieces of files, never a whole file. On an error the files are removed.
 * @throws VerbatimError `corrupt-segment` (a source is damaged), `aborted`, and what the storage
 *   throws
 */
export async function mergeSegments(
  storage: Storage,
  sources: readonly MergeSource[],
  options: MergeOptions,
): Promise<MergedSegment> {
  const level = commonLevel(sources);
  const containers = await createContainers(storage, options.name, { ...options.manifest, level });
  try {
    return await merge(new MergeWork(sources, containers, options), { name: options.name, level });
  } catch (error) {
    await discard(storage, Object.values(containers));
    throw error;
  }
}

async function merge(work: MergeWork, { name, level }: { name: string; level: IndexLevel }): Promise<MergedSegment> {
  const { documents, keys } = await mergeDocuments(work);
  const text = await mergeText(work);
  const rows = level === "full" ? { ...(await mergePhrases(work)), ...(await mergeNgrams(work)) } : undefined;
  const { passages, counts } = await mergeColumns(work, { level, bytes: rows });
  const vectors = level === "lexical" ? undefined : await mergeVectors(work);
  const terms = level === "lexical" ? undefined : await mergeTerms(work);
  const tfidf = await mergeTfidf(work);
  const files = filesOf(level, { documents, text, passages, ...rows, vectors, terms, tfidf });
  return {
    entry: newEntry({ name, documents: keys.length, ...counts }, { level, files }),
    documents: work.sources.map((source) => source.documents),
    passages: Uint32Array.from({ length: keys.length }, (_, document) => keys.passages(document)),
    keys,
  };
}
