/**
 * "Here are some segments: make one of them, without what is deleted", and without the network. Rows, n-gram records, postings, texts
 * and maps are carried over as they are, so the result is byte for byte what a writer would have made of the same documents. Segments
 * of format version 1, and finer ones, are packed again on the way: as finely as the coarsest source, so nothing is lost twice.
 */

import type { FileEntry } from "./container-writer.js";
import type { ManifestSegment } from "./manifest.js";
import { mergeDocuments, mergeText } from "./merge-documents.js";
import { mergeTerms, mergeTfidf } from "./merge-lists.js";
import { mergeColumns, mergeNgrams, mergePhrases } from "./merge-passages.js";
import { type MergeOptions, type MergeSource, MergeWork } from "./merge-work.js";
import type { Storage } from "./ports.js";
import { createContainers, discard } from "./segment-writer.js";

export interface MergedSegment {
  entry: ManifestSegment;
  /** For each source: new number of every document, −1 for one that is left out. */
  documents: Int32Array[];
  /** Of every new document. */
  passages: Uint32Array;
  contentHashes: string[];
}

/**
 * Writes the files of segment `name`, synced; their names are safe after `syncDirectory`, and count with the next manifest.
 * Memory: tables of the passages and documents, and some stretches of files; never a whole file. On an error the files are removed.
 * @throws VerbatimError `corrupt-segment` (a source is damaged), `aborted`, and what the storage throws
 */
export async function mergeSegments(
  storage: Storage,
  sources: readonly MergeSource[],
  options: MergeOptions,
): Promise<MergedSegment> {
  const containers = await createContainers(storage, options.name, options.manifest);
  try {
    return await merge(new MergeWork(sources, containers, options), options.name);
  } catch (error) {
    await discard(storage, Object.values(containers));
    throw error;
  }
}

async function merge(work: MergeWork, name: string): Promise<MergedSegment> {
  const { documents, keys } = await mergeDocuments(work);
  const text = await mergeText(work);
  const { phrases, coarse, bytes: phraseBytes } = await mergePhrases(work);
  const { ngrams, bytes: ngramBytes } = await mergeNgrams(work);
  const { passages, counts } = await mergeColumns(work, { phrases: phraseBytes, ngrams: ngramBytes });
  const terms = await mergeTerms(work);
  const tfidf = await mergeTfidf(work);
  const files: FileEntry[] = [documents, text, passages, phrases, coarse, ngrams, terms, tfidf];
  return {
    entry: { name, documents: keys.length, ...counts, deletedDocuments: 0, deletedPassages: 0, files },
    documents: work.sources.map((source) => source.documents),
    passages: Uint32Array.from(keys, (key) => key.passages),
    contentHashes: keys.map((key) => key.contentHash),
  };
}
