/** Merges postings of terms and n-grams under their new numbers, and the norms. */

import { fromF32 } from "../format/columns.js";
import type { FileEntry } from "../format/container-writer.js";
import { NORMS_BLOCK } from "../segment/tfidf.js";
import { mergePostings } from "./merge-postings.js";
import type { MergeWork } from "./merge-work.js";

export async function mergeTerms(work: MergeWork): Promise<FileEntry> {
  const container = work.containers.terms!;
  const sources = work.sources.map(({ segment, passages }) => ({ lists: segment.terms, units: passages }));
  await mergePostings(container, "", { sources, signal: work.signal, pause: work.pause });
  for (const { segment } of work.sources) work.done(segment, "terms");
  return container.finish();
}

export async function mergeTfidf(work: MergeWork): Promise<FileEntry> {
  const container = work.containers.tfidf;
  container.beginSection("documents.norms", NORMS_BLOCK);
  for (const { segment, documents } of work.sources) {
    const norms = await segment.tfidfNorms("document");
    await container.append(fromF32(norms.filter((_, document) => documents[document]! >= 0)));
  }
  const sources = work.sources.map(({ segment, passages }) => ({
    lists: segment.tfidf.lists,
    units: passages,
  }));
  await mergePostings(container, "passages.", { sources, signal: work.signal, pause: work.pause });
  container.beginSection("passages.norms", NORMS_BLOCK);
  for (const { segment, passages } of work.sources) {
    const norms = await segment.tfidfNorms("passage");
    await container.append(fromF32(norms.filter((_, passage) => passages[passage]! >= 0)));
  }
  for (const { segment } of work.sources) work.done(segment, "tfidf");
  return container.finish();
}
