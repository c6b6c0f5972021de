/**
 * The passages of sparse-first, then those of dense-first: words find what vectors miss, and the other way round. Vectors are asked only where
 * words leave it open.
 */

import type { CandidateScoring } from "../score/score-candidates.js";
import type { SearchOptions } from "../types.js";

/**
 * Whether the dense stage can be left out after sparse-first. A passage that sparse-first passed over has at most the sparse part of the
 * least candidate (at most 0 where there were fewer candidates than asked for), so one of its spans comes first only if its dense and n-gram
 * parts make up for the rest. Settled: they would have to be `denseBelow` times the largest that any candidate has. No bound, but measured
 * (docs/evaluation.md); with Infinity nothing is ever settled. Fewer passages with an answer than `topK` settle nothing, either.
 */
export function isSettled(
  { best, largestPhrase, leastSparse, candidates, passages }: CandidateScoring,
  { sparseCandidates, topK, denseBelow }: SearchOptions,
): boolean {
  if (passages.length < topK || largestPhrase <= 0) return false;
  const passedOver = candidates < sparseCandidates ? 0 : leastSparse;
  return best - passedOver >= denseBelow * largestPhrase;
}

/** The same for passages of at most this sparse part, of which none was scored. */
export function isSettledBeyond(
  sparse: number,
  { best, largestPhrase, passages }: CandidateScoring,
  { topK, denseBelow }: SearchOptions,
): boolean {
  return passages.length >= topK && largestPhrase > 0 && best - sparse >= denseBelow * largestPhrase;
}
