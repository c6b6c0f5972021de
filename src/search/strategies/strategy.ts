/** The contract of a strategy: it chooses the passages that are scored. The score of a span is the same for all. */

import type { AllowedPassages } from "../allowed.js";
import { type Numbering, rangeOf } from "../numbering.js";
import type { SearchOptions } from "../options.js";
import type { PreparedQuestion } from "../prepare.js";
import type { PassageScorer } from "../score/passage-scorer.js";
import type { CandidateScoring } from "../score/score-candidates.js";
import type { Searcher } from "../searcher.js";

export interface StrategyRequest {
  searcher: Searcher;
  question: PreparedQuestion;
  /** Holds the postings that the strategy names. */
  scorer: PassageScorer;
  /** The only passages that may become candidates. */
  allowed: AllowedPassages;
  options: SearchOptions;
}

/** How a strategy chooses candidates. */
export interface Strategy {
  /** The step that the time for choosing candidates counts as. */
  readonly step: "terms" | "dense";
  /** The postings that `StrategyRequest.scorer` has to hold. */
  readonly postings: "none" | "terms" | "all";
  /** @throws VerbatimError `invalid-argument` if the index lacks what the strategy needs */
  check?(searcher: Searcher): void;
  /**
   * Chooses candidates and hands them to `scoring`.
   * @throws VerbatimError `aborted`, `corrupt-segment`
   */
  run(request: StrategyRequest, scoring: CandidateScoring): Promise<void>;
}

/** Passage numbers per segment, ascending and without repetition; all of them are allowed. */
export type Candidates = number[][];

/** @param numbers  passages numbered across all segments, in any order */
export function toCandidates({ firstPassages }: Numbering, numbers: Iterable<number>): Candidates {
  const sets = Array.from({ length: firstPassages.length - 1 }, () => new Set<number>());
  for (const number of numbers) {
    const segment = rangeOf(firstPassages, number);
    sets[segment]!.add(number - firstPassages[segment]!);
  }
  return sets.map((passages) => [...passages].sort((a, b) => a - b));
}
