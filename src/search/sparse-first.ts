/** The passages that the question's words speak for: SPARTA's terms and tf-idf together (DenSPI's SFS has tf-idf alone). */

import { TopK } from "../math/topk.js";
import { rangeOf } from "./numbering.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

/**
 * The best `sparseCandidates` allowed passages whose rows are stored, by λ_t · terms + λ_d · tfidf; ties by segment, then passage. A passage that no term or
 * n-gram of the question speaks for (score ≤ 0) is no candidate, so a question of unknown words finds nothing this way.
 * O(passages), no reading.
 */
export async function findSparseFirst({ session, sparse, allowed, options }: StrategyRequest): Promise<Candidates> {
  const { terms, tfidf } = sparse;
  const { bits } = allowed;
  const { firstPassages } = session.numbering;
  const { levels } = session;
  const best = new TopK(Math.min(options.sparseCandidates, terms.length));
  // Numbers ascend, so a passage that only equals the worst kept one stands behind it: it is not offered.
  let floor = 0;
  for (const [segment, level] of levels.entries()) {
    if (level !== "full") continue;
    const end = firstPassages[segment + 1]!;
    for (let number = firstPassages[segment]!; number < end; number++) {
      const score = terms[number]! + tfidf[number]!;
      if (!(score > floor)) continue;
      if (bits !== undefined && bits[number] === 0) continue;
      best.offer(number, score);
      floor = Math.max(0, best.worst);
    }
  }
  const chosen = Array.from(best.sorted().ids, (number) => {
    const segment = rangeOf(firstPassages, number);
    return [segment, number - firstPassages[segment]!] as const;
  });
  return toCandidates(session.snapshot.segments.length, chosen);
}
