/** What every strategy is: a choice of the passages whose spans are scored. The score itself is the same for all. */

import type { AllowedPassages } from "../allowed.js";
import { type Numbering, rangeOf } from "../global-ids.js";
import type { PreparedQuestion } from "../prepare.js";
import type { SparseQuestion } from "../score/sparse.js";
import type { SearchSession } from "../session.js";
import type { SearchOptions } from "../types.js";

export interface StrategyRequest {
  session: SearchSession;
  question: PreparedQuestion;
  sparse: SparseQuestion;
  /** Nothing else is a candidate. */
  allowed: AllowedPassages;
  options: SearchOptions;
}

/** Passages by segment: ascending numbers without repetition, all of them allowed. */
export type Candidates = number[][];

export type FindCandidates = (request: StrategyRequest) => Promise<Candidates>;

/** @param numbers  of passages, numbered through all segments, in any order */
export function toCandidates({ firstPassages }: Numbering, numbers: Iterable<number>): Candidates {
  const sets = Array.from({ length: firstPassages.length - 1 }, () => new Set<number>());
  for (const number of numbers) {
    const segment = rangeOf(firstPassages, number);
    sets[segment]!.add(number - firstPassages[segment]!);
  }
  return sets.map((passages) => [...passages].sort((a, b) => a - b));
}
