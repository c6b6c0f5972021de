/** Builds the results of one question's steps. */

import type { IndexLevel } from "../index/format/level.js";
import type { Reading } from "../reader/types.js";
import { missingPhrases } from "../search/restriction/restriction.js";
import { filteredPassages, type SearchResult } from "../search/search.js";
import type { Searcher } from "../search/searcher.js";
import type { StrategyName } from "../search/strategies/names.js";
import type { RankedPassage, StepTimes } from "../search/types.js";
import { type JudgedAnswers, toAnswers } from "./answers.js";
import type { AskResult, RestrictionResult } from "./result.js";

/** What all results of a question have in common. */
interface QuestionFacts {
  question: string;
  /** What was encoded, if that is not the question without its operators. */
  searchedFor: string | undefined;
  strategy: StrategyName;
  /** When the pipeline began, on the searcher's clock. */
  began: number;
  /** Milliseconds spent before that, in total and by step. */
  spent: { totalMs: number; steps: Partial<StepTimes> };
  withoutVectors: boolean;
}

export class ResultBuilder {
  readonly #searcher: Searcher;
  readonly #about: QuestionFacts;
  readonly #passages = new WeakMap<SearchResult, Promise<RankedPassage[]>>();

  constructor(searcher: Searcher, about: QuestionFacts) {
    this.#searcher = searcher;
    this.#about = about;
  }

  /**
   * @param options.minConfidence  the first answer's confidence must reach it
   * @param options.byReader  the scores are the reader's
   */
  async build(
    found: SearchResult,
    judged: JudgedAnswers,
    options: { minConfidence: number; kind: AskResult["kind"]; reading?: Reading; byReader?: boolean },
  ): Promise<AskResult> {
    const searcher = this.#searcher;
    const { question, searchedFor, strategy, began, spent, withoutVectors } = this.#about;
    const { minConfidence, kind, reading, byReader = false } = options;
    const { topK, explain, signal } = found.options;
    const buildBegan = searcher.now();
    const answered = await toAnswers(searcher, judged, {
      question: found.question,
      topK,
      kind,
      // n-grams are part of a phrase's score only
      explain: explain ? (kind === "spans" && !byReader ? "ngrams" : "parts") : undefined,
      minConfidence,
      signal,
    });
    const passages = await this.#passagesOf(found);
    const restriction = await restrictionOf(searcher, found);
    const tookMs = spent.totalMs + searcher.now() - began;
    const steps = sumSteps(found.steps, spent.steps);
    const { encode, terms, dense, read, score } = steps;
    // without a reader, what is left of the time went into text; with one, only the building did
    steps.text = reading === undefined ? tookMs - (encode + terms + dense + read + score) : searcher.now() - buildBegan;
    return {
      question,
      ...(searchedFor === undefined ? {} : { searchedFor }),
      ...(restriction === undefined ? {} : { restriction }),
      strategy,
      level: commonLevel(searcher.levels),
      kind,
      ...(found.encodedPassages === 0 ? {} : { encodedPassages: found.encodedPassages }),
      ...(withoutVectors && strategy === "hybrid" ? { withoutVectors } : {}),
      ...answered,
      ...(judged.features === undefined ? {} : { features: judged.features }),
      ...(reading === undefined ? {} : { reading }),
      passages,
      steps,
      tookMs,
    };
  }

  #passagesOf(found: SearchResult): Promise<RankedPassage[]> {
    const known = this.#passages.get(found);
    if (known !== undefined) return known;
    const { rankedPassages, signal } = found.options;
    const passages = rankPassages(this.#searcher, found.passages.slice(0, rankedPassages), signal);
    this.#passages.set(found, passages);
    return passages;
  }
}

/** The question's phrases and excluded words, and what is missing if no passage was found. */
async function restrictionOf(searcher: Searcher, found: SearchResult): Promise<RestrictionResult | undefined> {
  const { restriction, phrasePassages: maxRead, signal } = found.options;
  if (restriction === undefined) return undefined;
  const { phrases, excluded } = restriction;
  const { searchedPassages } = found;
  const searched = { phrases, excluded, ...(searchedPassages === undefined ? {} : { searchedPassages }) };
  if (found.passages.length > 0) return searched;
  if (searchedPassages !== undefined) return { ...searched, missing: [] };
  const among = await filteredPassages(searcher, found.options);
  return { ...searched, missing: await missingPhrases(searcher, restriction, { among, maxRead, signal }) };
}

function sumSteps(steps: StepTimes, more: Partial<StepTimes>): StepTimes {
  const sum = { ...steps };
  for (const [step, milliseconds] of Object.entries(more)) sum[step as keyof StepTimes] += milliseconds;
  return sum;
}

function commonLevel(levels: readonly IndexLevel[]): IndexLevel | "mixed" {
  const [level = "full", ...others] = new Set(levels);
  return others.length === 0 ? level : "mixed";
}

async function rankPassages(
  searcher: Searcher,
  passages: ReadonlyArray<{ segment: number; passage: number; score: number }>,
  signal: AbortSignal | undefined,
): Promise<RankedPassage[]> {
  return Promise.all(
    passages.map(async ({ segment, passage, score }) => {
      const { document, start, end } = searcher.segment(segment).passage(passage);
      const { id } = await searcher.document(segment, document, signal);
      return { documentId: id, start, end, score };
    }),
  );
}
