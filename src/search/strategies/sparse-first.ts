/** Candidates from whole passages: terms, tf-idf and vectors together (DenSPI's SFS uses tf-idf alone). */

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
 * λ_t · terms + λ_d · tfidf + λ_v · cosine; ties by segment, then passage. A passage with a score
 * of at most 0 is not a candidate; with phrases or excluded words such passages follow the others.
 * Does no I/O.
 */
export function bestBySparse(request: StrategyRequest, count: number): number[] {
  const isCandidate = isStoredAndAllowed(request);
  return withOthers(request, request.sparse.best(count, isCandidate), { count, isCandidate });
}

function isStoredAndAllowed({ session, allowed }: StrategyRequest): (number: number) => boolean {
  const { levels, numbering } = session;
  const { firstPassages } = numbering;
  if (levels.every((level) => level === "full")) return (number) => allowed.has(number);
  return (number) => allowed.has(number) && levels[rangeOf(firstPassages, number)] === "full";
}
