/** The options of a search: defaults and ranges. */

import { VerbatimError } from "../errors.js";
import { checkInteger, checkOneOf, refuseOption } from "./check-option.js";
import type { PassageRestriction } from "./restriction/restriction.js";
import { STRATEGY_NAMES, type StrategyName } from "./strategies/names.js";
import type { DocumentFilter } from "./types.js";

/** What a search needs to know, every field set: `src/ask/options.ts` documents the fields for callers. */
export interface SearchOptions {
  strategy: StrategyName;
  topK: number;
  maxAnswerTokens: number;
  candidates: number;
  earlyStopFactor: number;
  maxEncodedPassages: number;
  phrasePassages: number;
  readerPassages: number;
  rankedPassages: number;
  explain: boolean;
  filter?: DocumentFilter;
  filterKey?: string;
  /** Words that an answer's passage must contain or must not. */
  restriction?: PassageRestriction;
  signal?: AbortSignal;
}

export const SEARCH_DEFAULTS = {
  /** Finds what either side finds. */
  strategy: "hybrid",
  topK: 5,
  /** DenSPI §5: answers in SQuAD are rarely longer. */
  maxAnswerTokens: 20,
  /** The right passage is among the ten best by terms for 94 % of the questions of a first trial; twice that. */
  candidates: 20,
  /** Measured (docs/evaluation.md). */
  earlyStopFactor: 1.3,
  /** At level `thin` the default stop encodes about nine of these, 0.4 to 0.7 points of exact match below `full`. */
  maxEncodedPassages: 20,
  /** About a second on one core. */
  phrasePassages: 20_000,
  /** Passages that the reader reads: of what phrase search ranks, four give nearly what ten do in half the time. */
  readerPassages: 4,
  rankedPassages: 100,
  explain: false,
} as const satisfies Omit<SearchOptions, "signal" | "filter" | "filterKey" | "restriction">;

/** Passages that the reader reads where only words have ranked them (`lexical`, `sparta-reader`). */
const READER_PASSAGES_BY_WORDS = 10;

const MAX_TOP_K = 10_000;
const MAX_READER_PASSAGES = 1000;

/** The longest answer that may be asked for, in tokens of the model. */
export const MAX_ANSWER_TOKENS = 64;

/** @throws VerbatimError `invalid-argument` for an option outside its range */
export function resolveSearchOptions(given: Partial<SearchOptions>): SearchOptions {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: SearchOptions = { ...SEARCH_DEFAULTS, ...set };
  checkOneOf("strategy", options.strategy, STRATEGY_NAMES);
  if (given.readerPassages === undefined && isByWords(options.strategy)) {
    options.readerPassages = READER_PASSAGES_BY_WORDS;
  }
  checkInteger("topK", options.topK, { min: 1, max: MAX_TOP_K });
  checkInteger("maxAnswerTokens", options.maxAnswerTokens, { min: 1, max: MAX_ANSWER_TOKENS });
  if (given.candidates === undefined) options.candidates = Math.max(options.candidates, options.topK);
  checkInteger("candidates", options.candidates, { min: 1 });
  checkInteger("maxEncodedPassages", options.maxEncodedPassages, { min: 1 });
  checkInteger("phrasePassages", options.phrasePassages, { min: 1 });
  checkInteger("readerPassages", options.readerPassages, { min: 1, max: MAX_READER_PASSAGES });
  checkInteger("rankedPassages", options.rankedPassages, { min: 0 });
  const { earlyStopFactor, filter, filterKey } = options;
  if (!(earlyStopFactor >= 0)) {
    refuseOption("earlyStopFactor", { expected: "a number of 0 or more", found: earlyStopFactor });
  }
  if (filter !== undefined && typeof filter !== "function") {
    refuseOption("filter", { expected: "a function of a document", found: typeof filter });
  }
  if (filterKey !== undefined && filter === undefined) {
    throw new VerbatimError("invalid-argument", "filterKey was given without a filter.", {
      where: "filterKey",
      hint: "Give the filter function too, or leave filterKey out.",
    });
  }
  return options;
}

/**
 * True for strategies whose passages are ranked by words alone, so that the reader's score is not combined with
 * others.
 */
export function isByWords(strategy: StrategyName): strategy is "sparta-reader" | "lexical" {
  return strategy === "sparta-reader" || strategy === "lexical";
}
