/**
 * One question's search: prepare → allowed passages → the strategy finds candidates → their spans are scored.
 *
 *   score(i, j, p, d) = dense(i, j) + λ_n · ngram(i, j) + λ_t · terms(p) + λ_d · (tfidf(d) + tfidf(p)) + λ_v · cosine(p)
 *
 * A filter decides which passages may be candidates, a strategy which of those are. A span has the
 * same score whichever strategy found it.
 */

import type { EncodedQuestion } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import type { AllowedPassages } from "./allowed.js";
import { resolveSearchOptions, type SearchOptions } from "./options.js";
import { type PreparedQuestion, prepareQuestion } from "./prepare.js";
import { RestrictedPassages } from "./restriction/restriction.js";
import { PassageScorer } from "./score/passage-scorer.js";
import { CandidateScoring, type ScoredPassage } from "./score/score-candidates.js";
import type { Searcher } from "./searcher.js";
import type { FoundSpan } from "./spans.js";
import { STRATEGIES } from "./strategies/strategies.js";
import type { StepTimes } from "./types.js";

/** The result of a search, before any of it is read as text. */
export interface SearchResult {
  question: PreparedQuestion;
  options: SearchOptions;
  /** Best first. */
  spans: FoundSpan[];
  /** Best first; passages without a span are left out, unless the strategy ranks passages themselves. */
  passages: ScoredPassage[];
  /** Passages that were encoded for a question because their rows are not stored. */
  encodedPassages: number;
  /** Passages in which a phrase was looked for, if not all could be searched. */
  searchedPassages: number | undefined;
  /** Milliseconds; `encode` and `text` are 0. */
  steps: StepTimes;
}

/**
 * Prepares the question, applies the filter, reads the postings, chooses candidates and scores their spans.
 * @throws VerbatimError `invalid-argument` for an option out of range, or if the index lacks what the strategy needs;
 *   `aborted`, `corrupt-segment`, `model-mismatch`, and what the filter or encoder throws
 */
export async function findSpans(
  searcher: Searcher,
  encoded: EncodedQuestion,
  given: Partial<SearchOptions> = {},
): Promise<SearchResult> {
  const options = resolveSearchOptions(given);
  const { signal } = options;
  throwIfAborted(signal);
  const strategy = STRATEGIES[options.strategy];
  strategy.check?.(searcher);
  const started = searcher.now();
  const question = prepareQuestion(encoded, searcher);
  const allowed = await allowedPassages(searcher, options);
  const scorer = await PassageScorer.read(searcher, encoded, { postings: strategy.postings, signal });
  const request = { searcher, question, scorer, allowed, options };
  const scoring = new CandidateScoring(request);
  await strategy.run(request, scoring);
  scorer.release(); // after an error its arrays are left to the garbage collector
  const { readMs: read, scoreMs: score } = scoring;
  const choosing = searcher.now() - started - read - score;
  return {
    question,
    options,
    spans: scoring.sortedSpans(),
    passages: scoring.sortedPassages(),
    encodedPassages: scoring.encodedPassages,
    searchedPassages: allowed.searchedPassages,
    steps: { encode: 0, terms: 0, dense: 0, [strategy.step]: choosing, read, score, text: 0 },
  };
}

/** The passages that may be ranked at all. */
async function allowedPassages(searcher: Searcher, options: SearchOptions): Promise<AllowedPassages> {
  const among = await filteredPassages(searcher, options);
  const { restriction, signal } = options;
  // every passage is a candidate of `exhaustive`, in no order, so no limit leaves the best ones
  const maxRead = options.strategy === "exhaustive" ? Number.POSITIVE_INFINITY : options.phrasePassages;
  return restriction === undefined ? among : RestrictedPassages.open(searcher, restriction, { among, maxRead, signal });
}

/** The passages of the documents that pass the filter. */
export function filteredPassages(
  searcher: Searcher,
  { filter, filterKey, signal }: Pick<SearchOptions, "filter" | "filterKey" | "signal">,
): AllowedPassages | Promise<AllowedPassages> {
  if (filter === undefined) return searcher.allowed.live;
  return searcher.allowed.of(filter, { ...(filterKey === undefined ? {} : { key: filterKey }), signal });
}
