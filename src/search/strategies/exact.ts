/**
 * `hybrid` with `exact`: the answers of `exhaustive`, with as few passages scored as bounds allow.
 *
 * The best passages by words are scored first. Then the others, best bound first (src/search/bounds.ts), until no bound reaches the score of the last
 * answer wanted: what is left can neither be an answer nor stand before one. Bounds are of all rows of a segment, read once when first asked for.
 */

import { upperBounds } from "../limits.js";
import type { CandidateScoring } from "../score/score-candidates.js";
import { findSparseFirst } from "./sparse-first.js";
import { type StrategyRequest, toCandidates } from "./strategy.js";

/** Passages scored before it is looked again at what the last answer's score is; twice as many each time. */
const FIRST_STRETCH = 32;

/**
 * @param leastAnswer  score of the last answer wanted among what was scored so far; −Infinity while there are fewer answers
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function scoreExact(
  request: StrategyRequest,
  scoring: CandidateScoring,
  leastAnswer: () => Promise<number>,
): Promise<void> {
  const bounds = await upperBounds(request);
  await scoring.add(await findSparseFirst(request));
  let least = await leastAnswer();
  const open = [...bounds.keys()].filter(
    (number) => bounds[number]! >= least && bounds[number]! > Number.NEGATIVE_INFINITY,
  );
  open.sort((a, b) => bounds[b]! - bounds[a]! || a - b);
  for (let at = 0, stretch = FIRST_STRETCH; at < open.length && bounds[open[at]!]! >= least; stretch *= 2) {
    const end = Math.min(open.length, at + stretch);
    const chosen: number[] = [];
    for (; at < end && bounds[open[at]!]! >= least; at++) chosen.push(open[at]!);
    await scoring.add(toCandidates(request.session.numbering, chosen));
    least = await leastAnswer();
  }
}
