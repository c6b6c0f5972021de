/** When the sparse stage alone decides, so that `hybrid` skips the dense stage. */

import type { SearchOptions } from "../options.js";
import type { CandidateScoring } from "../score/score-candidates.js";

/**
 * Whether the dense stage can be skipped after the sparse stage. A passage that the sparse stage
 * did not choose has at most the sparse part of the worst candidate (at most 0 if there were fewer
 * candidates than asked for), so one of its spans ranks first only if its dense and n-gram parts
 * make up the difference. Decided: they would have to be `earlyStopFactor` times the largest of any
 * candidate. This is measured, not a bound (docs/evaluation.md). Infinity never decides; neither do
 * fewer passages with an answer than `topK`.
 */
export function isDecided(
  { best, largestPhrase, leastSparse, candidates, passages }: CandidateScoring,
  { candidates: wanted, topK, earlyStopFactor }: SearchOptions,
): boolean {
  if (passages.length < topK || largestPhrase <= 0) return false;
  const remaining = candidates < wanted ? 0 : leastSparse;
  return best - remaining >= earlyStopFactor * largestPhrase;
}

/** The same for passages with at most this sparse part, none of which was scored. */
export function isDecidedBeyond(
  sparse: number,
  { best, largestPhrase, passages }: CandidateScoring,
  { topK, earlyStopFactor }: SearchOptions,
): boolean {
  return passages.length >= topK && largestPhrase > 0 && best - sparse >= earlyStopFactor * largestPhrase;
}
