/** The passages that the question's words speak for: SPARTA's terms and tf-idf together (DenSPI's SFS has tf-idf alone). */

import { TopK } from "../math/topk.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

/**
 * The best `sparseCandidates` live passages by λ_t · terms + λ_d · tfidf; ties by segment, then passage. A passage that no term or
 * n-gram of the question speaks for (score ≤ 0) is no candidate, so a question of unknown words finds nothing this way.
 * O(passages), no reading.
 */
export async function findSparseFirst({ session, sparse, options }: StrategyRequest): Promise<Candidates> {
  const { segments } = session.snapshot;
  const best = new TopK(Math.min(options.sparseCandidates, session.snapshot.passageCount));
  const firstIds: number[] = [];
  let firstId = 0;
  for (const [number, segment] of segments.entries()) {
    const { terms, tfidf } = sparse[number]!;
    const hasDeleted = segment.deletedDocumentCount > 0;
    for (let passage = 0; passage < segment.passageCount; passage++) {
      const score = terms[passage]! + tfidf[passage]!;
      if (!(score > 0)) continue;
      if (hasDeleted && segment.isDeleted(segment.passageDocuments[passage]!)) continue;
      best.offer(firstId + passage, score);
    }
    firstIds.push(firstId);
    firstId += segment.passageCount;
  }
  const chosen = Array.from(best.sorted().ids, (id) => {
    const number = firstIds.findLastIndex((first) => first <= id);
    return [number, id - firstIds[number]!] as const;
  });
  return toCandidates(segments.length, chosen);
}
