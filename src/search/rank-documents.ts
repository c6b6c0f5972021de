/** Ranks documents by the score of their best passage, or of their best span. */

import type { EncodedQuestion } from "../encode/types.js";
import { TopK } from "../vectors/topk.js";
import { rangeOf } from "./numbering.js";
import type { SearchOptions } from "./options.js";
import { findSpans } from "./search.js";
import type { Searcher } from "./searcher.js";

export interface RankedDocument {
  id: string;
  score: number;
}

/**
 * The `count` best documents with a score above 0, best first, ties by position in the index. Deleted ones are
 * skipped. O(passages)
 * @param scores  one per passage of all segments
 */
export async function rankDocuments(
  searcher: Searcher,
  scores: ArrayLike<number>,
  { count, signal }: { count: number; signal?: AbortSignal },
): Promise<RankedDocument[]> {
  const { passageDocuments, firstDocuments } = searcher.numbering;
  const { bits } = searcher.allowed.live;
  const best = new Float64Array(firstDocuments.at(-1)!);
  for (let passage = 0; passage < scores.length; passage++) {
    if (bits !== undefined && bits[passage] === 0) continue;
    const document = passageDocuments[passage]!;
    if (scores[passage]! > best[document]!) best[document] = scores[passage]!;
  }
  const top = new TopK(Math.min(count, best.length));
  for (let document = 0; document < best.length; document++) {
    if (best[document]! > 0) top.offer(document, best[document]!);
  }
  const { ids } = top.sorted();
  return Promise.all(
    Array.from(ids, async (document) => {
      const segment = rangeOf(firstDocuments, document);
      const { id } = await searcher.document(segment, document - firstDocuments[segment]!, signal);
      return { id, score: best[document]! };
    }),
  );
}

/**
 * Documents by their best span, best first: what `ask` ranks before a reader reads.
 * @throws VerbatimError as `findSpans`
 */
export async function rankByBestSpan(
  searcher: Searcher,
  question: EncodedQuestion,
  options: Partial<SearchOptions> = {},
): Promise<RankedDocument[]> {
  const { passages } = await findSpans(searcher, question, options);
  const best = new Map<string, number>();
  for (const { segment, passage, score } of passages) {
    const { id } = await searcher.document(segment, searcher.segment(segment).passage(passage).document);
    if (!best.has(id)) best.set(id, score); // passages are sorted, best first
  }
  return [...best].map(([id, score]) => ({ id, score }));
}
