/** Candidates from the sparse side: SPARTA's terms and tf-idf together (DenSPI's SFS uses tf-idf alone). */

import { rangeOf } from "../global-ids.js";
import { confirmedBest, withOthers } from "./confirmed.js";
import { scoreUnstored } from "./encode-first.js";
import { type Stage, type StrategyRequest, toCandidates } from "./strategy.js";

/** Passages below level `full` have no stored rows; the best of them are encoded for the question. */
export const sparseFirst: Stage = {
  step: "terms",
  postings: "all",
  async run(request, scoring) {
    const { session, options } = request;
    const best = await confirmedBest(request, options.candidates, (count) => bestBySparse(request, count));
    await scoring.add(toCandidates(session.numbering, best));
    if (session.levels.some((level) => level !== "full")) await scoreUnstored(request, scoring);
  },
};

/**
 * The best `count` allowed passages with stored rows, numbered through all segments, by
 * λ_t · terms + λ_d · tfidf; ties by segment, then passage. A passage without a term or n-gram of
 * the question (score ≤ 0) is not a candidate, so a question of unknown words finds nothing this
 * way; with phrases or excluded words such passages follow the others. Does no I/O.
 */
export function bestBySparse(request: StrategyRequest, count: number): number[] {
  const { session, sparse, allowed } = request;
  const { levels, numbering } = session;
  const { firstPassages } = numbering;
  const isStored = levels.every((level) => level === "full")
    ? () => true
    : (number: number) => levels[rangeOf(firstPassages, number)] === "full";
  const isCandidate = (number: number): boolean => allowed.has(number) && isStored(number);
  return withOthers(request, sparse.best(count, isCandidate), { count, isCandidate });
}
