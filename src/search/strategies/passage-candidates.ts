/** Candidates by what the index knows of whole passages: terms, tf-idf and vectors. */

import { VerbatimError } from "../../errors.js";
import { rangeOf } from "../numbering.js";
import type { RankedBy } from "../score/passage-scorer.js";
import type { Searcher } from "../searcher.js";
import { confirmedBest, withOthers } from "./confirmed.js";
import { scoreUnstored } from "./score-unstored.js";
import { type Strategy, type StrategyRequest, toCandidates } from "./strategy.js";

/** Terms, tf-idf and vectors together. */
export const hybrid: Strategy = { step: "terms", postings: "all", run: candidatesBy("all") };

/** Terms and tf-idf (DenSPI's sparse-first search uses tf-idf alone). */
export const sparseFirst: Strategy = { step: "terms", postings: "all", run: candidatesBy("words") };

/** The passages whose vectors are nearest to the question's. */
export const denseFirst: Strategy = {
  step: "dense",
  postings: "all",
  check: requireVectors,
  run: candidatesBy("vectors"),
};

/** Passages below level `full` have no stored rows; the best of them are encoded for the question. */
function candidatesBy(by: RankedBy): Strategy["run"] {
  return async (request, scoring) => {
    const { searcher, options } = request;
    const best = await confirmedBest(request, options.candidates, (count) => bestPassages(request, count, by));
    await scoring.add(toCandidates(searcher.numbering, best));
    if (searcher.levels.some((level) => level !== "full")) await scoreUnstored(request, scoring);
  };
}

/**
 * The best `count` allowed passages with stored rows, numbered across all segments, ties by
 * segment, then passage. Unless vectors alone rank, a passage with a score of at most 0 is not a
 * candidate; with phrases or excluded words such passages follow the others. Does no I/O.
 */
function bestPassages(request: StrategyRequest, count: number, by: RankedBy): number[] {
  const isCandidate = isStoredAndAllowed(request);
  return withOthers(request, request.scorer.best(count, { by, isCandidate }), { count, isCandidate });
}

function isStoredAndAllowed({ searcher, allowed }: StrategyRequest): (number: number) => boolean {
  const { levels, numbering } = searcher;
  const { firstPassages } = numbering;
  if (levels.every((level) => level === "full")) return (number) => allowed.has(number);
  return (number) => allowed.has(number) && levels[rangeOf(firstPassages, number)] === "full";
}

function requireVectors({ levels, model }: Searcher): void {
  const [level] = levels;
  if (level !== undefined && !levels.includes("full")) {
    throw new VerbatimError(
      "invalid-argument",
      `dense-first needs stored vectors, and the index is of level ${level}.`,
      { found: level, expected: "full", hint: "Ask without it, or run: verbatim upgrade --level full" },
    );
  }
  if (model.vector > 0 && model.weights.vector !== 0) return;
  throw new VerbatimError("invalid-argument", `dense-first needs passage vectors, and ${model.name} has none.`, {
    hint: "Ask without --strategy.",
  });
}
