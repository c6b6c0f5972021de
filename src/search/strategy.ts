/** What every strategy is: a choice of the passages whose spans are scored. The score itself is the same for all. */

import type { PreparedQuestion } from "./prepare.js";
import type { SearchSession } from "./session.js";
import type { SparseScores } from "./sparse.js";
import type { SearchOptions } from "./types.js";

export interface StrategyRequest {
  session: SearchSession;
  question: PreparedQuestion;
  /** One entry a segment. */
  sparse: SparseScores[];
  options: SearchOptions;
}

/** Passages by segment: ascending numbers without repetition, none of a deleted document. */
export type Candidates = number[][];

export type FindCandidates = (request: StrategyRequest) => Promise<Candidates>;

/** @param chosen  [segment, passage] in any order */
export function toCandidates(
  segments: number,
  chosen: Iterable<readonly [segment: number, passage: number]>,
): Candidates {
  const sets = Array.from({ length: segments }, () => new Set<number>());
  for (const [segment, passage] of chosen) sets[segment]!.add(passage);
  return sets.map((passages) => [...passages].sort((a, b) => a - b));
}
