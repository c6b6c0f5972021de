/**
 * One question's search: prepare → allowed passages → stages, each of which finds candidates and scores them.
 *
 *   score(i, j, p, d) = dense(i, j) + λ_n · ngram(i, j) + λ_t · terms(p) + λ_d · (tfidf(d) + tfidf(p)) + λ_v · cosine(p)
 *
 * A filter decides which passages may be candidates, a strategy which of those are. A span has the
 * same score whichever stage found it.
 */

import type { EncodedQuestion } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import type { AllowedPassages } from "./allowed.js";
import { resolveSearchOptions, type SearchOptions } from "./options.js";
import { type PreparedQuestion, prepareQuestion } from "./prepare.js";
import { RestrictedPassages } from "./restriction/restriction.js";
import { CandidateScoring, type ScoredPassage } from "./score/score-candidates.js";
import { SparseQuestion } from "./score/sparse.js";
import type { SearchSession } from "./session.js";
import type { FoundSpan } from "./spans.js";
import { isDecided } from "./strategies/early-termination.js";
import { STAGES } from "./strategies/strategies.js";
import type { Stage, StrategyRequest } from "./strategies/strategy.js";
import type { StepTimes } from "./types.js";

/** The result of a search so far, before any of it is read as text. */
export interface Found {
  question: PreparedQuestion;
  options: SearchOptions;
  /** Best first. */
  spans: FoundSpan[];
  /** Best first; passages without a span are left out, unless the strategy ranks passages themselves. */
  passages: ScoredPassage[];
  /** A stage was skipped because the ones before it decided. */
  endedEarly: boolean;
  /** Passages that were encoded for a question because their rows are not stored. */
  unstored: number;
  /** Passages in which a phrase was looked for, if not all could be searched. */
  searchedPassages: number | undefined;
  /** Milliseconds; `encode` and `text` are 0. */
  steps: StepTimes;
}

/** A search that runs stage by stage. */
export class Search {
  readonly #request: StrategyRequest;
  readonly #scoring: CandidateScoring;
  readonly #stages: readonly Stage[];
  readonly #steps: StepTimes;
  #next = 0;
  #endedEarly = false;

  private constructor(request: StrategyRequest, stages: readonly Stage[], termsMs: number) {
    this.#request = request;
    this.#scoring = new CandidateScoring(request);
    this.#stages = stages;
    this.#steps = { encode: 0, terms: termsMs, dense: 0, read: 0, score: 0, text: 0 };
  }

  /**
   * Prepares the question, applies the filter and reads the postings.
   * @param options  from `resolveSearchOptions`
   * @throws VerbatimError `invalid-argument` if the index lacks what the strategy needs; `aborted`,
   *   `corrupt-segment`, `model-mismatch`
   */
  static async start(session: SearchSession, question: EncodedQuestion, options: SearchOptions): Promise<Search> {
    const { strategy, signal } = options;
    throwIfAborted(signal);
    const stages = STAGES[strategy];
    const [first] = stages;
    first!.check?.(session);
    const started = session.now();
    const prepared = prepareQuestion(question, session);
    const allowed = await allowedPassages(session, options);
    const sparse = await SparseQuestion.read(session, question, { postings: first!.postings, signal });
    const request = { session, question: prepared, sparse, allowed, options };
    return new Search(request, stages, session.now() - started);
  }

  /** True when every stage ran, or an early one decided. */
  get isDone(): boolean {
    return this.#next === this.#stages.length || this.#endedEarly;
  }

  /** A later stage was skipped because the ones before it decided. */
  get endedEarly(): boolean {
    return this.#endedEarly;
  }

  /** Runs the next stage. @throws VerbatimError `aborted`, `corrupt-segment`, and what the filter or encoder throws */
  async runStage(): Promise<void> {
    const { session, options, sparse } = this.#request;
    const scoring = this.#scoring;
    const stage = this.#stages[this.#next]!;
    const started = session.now();
    const before = scoring.readMs + scoring.scoreMs;
    await stage.run(this.#request, scoring);
    this.#steps[stage.step] += session.now() - started - (scoring.readMs + scoring.scoreMs - before);
    this.#next++;
    this.#endedEarly = this.#next < this.#stages.length && isDecided(scoring, options);
    if (this.isDone) sparse.release(); // after an error its arrays are left to the garbage collector
  }

  /** The result of the stages that ran. */
  get found(): Found {
    const { question, options, allowed } = this.#request;
    const scoring = this.#scoring;
    return {
      question,
      options,
      spans: scoring.sortedSpans(),
      passages: scoring.sortedPassages(),
      endedEarly: this.#endedEarly,
      unstored: scoring.unstored,
      searchedPassages: allowed.searchedPassages,
      steps: { ...this.#steps, read: scoring.readMs, score: scoring.scoreMs },
    };
  }
}

/** Runs every stage of a search. @throws as `resolveSearchOptions`, `Search.start` and `Search.runStage` */
export async function findSpans(
  session: SearchSession,
  question: EncodedQuestion,
  given: Partial<SearchOptions> = {},
): Promise<Found> {
  const search = await Search.start(session, question, resolveSearchOptions(given));
  while (!search.isDone) await search.runStage();
  return search.found;
}

/** The passages that may be ranked at all. */
async function allowedPassages(session: SearchSession, options: SearchOptions): Promise<AllowedPassages> {
  const of = await filteredPassages(session, options);
  const { restriction, phrasePassages: maxRead, signal } = options;
  return restriction === undefined ? of : RestrictedPassages.open(session, restriction, { of, maxRead, signal });
}

/** The passages of the documents that pass the filter. */
export function filteredPassages(
  session: SearchSession,
  { filter, filterKey, signal }: Pick<SearchOptions, "filter" | "filterKey" | "signal">,
): AllowedPassages | Promise<AllowedPassages> {
  if (filter === undefined) return session.allowed.live;
  return session.allowed.of(filter, { ...(filterKey === undefined ? {} : { key: filterKey }), signal });
}
