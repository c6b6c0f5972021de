/** The passages that the question's words speak for: SPARTA's terms and tf-idf together (DenSPI's SFS has tf-idf alone). */

import { rangeOf } from "../global-ids.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

/**
 * The best `sparseCandidates` allowed passages whose rows are stored, by λ_t · terms + λ_d · tfidf; ties by segment, then passage. A passage that no term or
 * n-gram of the question speaks for (score ≤ 0) is no candidate, so a question of unknown words finds nothing this way.
 * No reading.
 */
export async function findSparseFirst({ session, sparse, allowed, options }: StrategyRequest): Promise<Candidates> {
  const { levels, numbering } = session;
  const { firstPassages } = numbering;
  const isStored = levels.every((level) => level === "full")
    ? () => true
    : (number: number) => levels[rangeOf(firstPassages, number)] === "full";
  const isCandidate = (number: number): boolean => allowed.has(number) && isStored(number);
  return toCandidates(numbering, sparse.best(options.sparseCandidates, isCandidate).ids);
}
