/** The options of a question: what callers give, the defaults, and the checks. */

import type { ModelInfo } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { IndexLevel } from "../index/format/level.js";
import { READER_MODES, type Reader, type ReaderMode } from "../reader/types.js";
import { checkOneOf, refuseOption } from "../search/check-option.js";
import { isByWords, resolveSearchOptions, SEARCH_DEFAULTS, type SearchOptions } from "../search/options.js";
import type { PassageRestriction } from "../search/restriction/restriction.js";
import type { StrategyName } from "../search/strategies/names.js";
import type { DocumentFilter } from "../search/types.js";

/** Options of `Index.ask`. Every field is optional. */
export interface AskOptions {
  /** Number of answers, 1 to 10,000. Default 5. */
  topK?: number;
  /** How candidates are found. Default `hybrid`, or `lexical` for an index of that level. */
  strategy?: StrategyName;
  /**
   * `on`: a second network rereads the best passages. `auto`: only if phrase search is unsure. `off`: never.
   * Default `auto` if a reader is open and both models are calibrated, else `off`. `lexical` has no confidence to
   * choose by: an open reader reads unless this is `off`. `sparta-reader` always reads and does not take `off`.
   */
  reader?: ReaderMode;
  /**
   * If the first answer's confidence is lower, no answer is returned, 0 to 1; 0 always answers. Default
   * "calibrated": the model's own threshold, if it has one.
   */
  minConfidence?: number | "calibrated";
  /** A filter expression such as `year >= 2020 and tag = "ops"` (docs/cli.md). Not together with `filter`. */
  where?: string;
  /**
   * Only documents for which it returns true can answer. It applies before anything is ranked, and
   * a score is the same with any filter. The first question with a filter reads every document's
   * record; the result is then remembered for the same function.
   */
  filter?: DocumentFilter;
  /** Longest answer, in tokens of the model, 1 to 64. Default 20. */
  maxAnswerTokens?: number;
  /** Adds the parts of each score and the n-grams that raised it. Default false. */
  explain?: boolean;
  /**
   * Reads "a phrase" and -word in the question as what an answer's passage must and must not
   * contain. Default true; false takes every question as text.
   */
  operators?: boolean;
  /**
   * Milliseconds after which no further reading begins; the answer so far is returned. At least 1. Default: no limit.
   */
  budgetMs?: number;
  signal?: AbortSignal;
  /** Settings of the engine, for experiments. The defaults are measured (docs/evaluation.md). */
  advanced?: AdvancedOptions;
}

/** Settings of the engine that users rarely need. */
export interface AdvancedOptions {
  /** Passages whose spans are scored, ≥ 1. Default 20, or `topK` if that is more. */
  candidates?: number;
  /**
   * Level `thin`, ≥ 0: no more passages are encoded if one of the others could rank first only with
   * dense and n-gram parts this many times the largest found. Infinity never stops. Default 1.3.
   */
  earlyStopFactor?: number;
  /**
   * Maximum number of passages encoded per question, ≥ 1: of level `thin`, and as many of level
   * `lexical` in an index that is being upgraded. Default 20.
   */
  maxEncodedPassages?: number;
  /**
   * Maximum number of passages, best ranked first, that are searched for a phrase or excluded word
   * that the index cannot look up, for example because it has only function words, ≥ 1. Default 20,000.
   */
  phrasePassages?: number;
  /**
   * Maximum number of passages that the reader reads, 1 to 1000. Default 4, or 10 for `lexical` and `sparta-reader`.
   */
  readerPassages?: number;
  /** `auto` reads if phrase search's confidence is below this, 0 to 1. Default: the reader's own threshold. */
  readBelow?: number;
  /** Used instead of "calibrated" if `minConfidence` is not given; ignored where there is no confidence, 0 to 1. */
  defaultMinConfidence?: number | "calibrated";
  /** Maximum number of entries of `AskResult.passages`, ≥ 0; each costs reading one record. Default 100. */
  rankedPassages?: number;
  /** Equal keys mean equal filters, for filter functions that are created per question. Only with `filter`. */
  filterKey?: string;
  /** Adds the features that the confidence is computed from, for calibration. Default false. */
  features?: boolean;
}

/** Advanced options that the command line can set. */
export const ADVANCED_NUMBERS = [
  "candidates",
  "earlyStopFactor",
  "maxEncodedPassages",
  "phrasePassages",
  "readerPassages",
  "readBelow",
] as const satisfies ReadonlyArray<keyof AdvancedOptions>;

/** The defaults of a question: the library, the command line, the server and MCP share them. */
export const ASK_DEFAULTS = {
  topK: SEARCH_DEFAULTS.topK,
  maxAnswerTokens: SEARCH_DEFAULTS.maxAnswerTokens,
  minConfidence: "calibrated",
  explain: SEARCH_DEFAULTS.explain,
  operators: true,
} as const satisfies AskOptions;

/** The strategy of an index when none is named: its rows, or its words if it stores nothing else. */
export function defaultStrategy(levels: readonly IndexLevel[]): "hybrid" | "lexical" {
  return levels.length > 0 && levels.every((level) => level === "lexical") ? "lexical" : "hybrid";
}

/** The part of the options that the search itself needs. @throws VerbatimError `invalid-argument` */
export function searchOptionsOf(
  given: AskOptions,
  levels: readonly IndexLevel[],
  restriction?: PassageRestriction,
): SearchOptions {
  const { topK, strategy = defaultStrategy(levels), filter, maxAnswerTokens, explain, signal, advanced = {} } = given;
  const { candidates, earlyStopFactor, maxEncodedPassages, phrasePassages, readerPassages, rankedPassages, filterKey } =
    advanced;
  const engine = { candidates, earlyStopFactor, maxEncodedPassages, phrasePassages };
  const usual = { topK, strategy, filter, filterKey, maxAnswerTokens, explain, signal };
  return resolveSearchOptions({ ...engine, ...usual, readerPassages, rankedPassages, restriction });
}

/** How the reader takes part in a question. */
export interface ReadingPlan {
  mode: ReaderMode;
  /** `auto` reads if phrase search's confidence is below this. */
  readBelow: number;
  budgetMs: number;
  minConfidence: number | "calibrated";
}

/**
 * @throws VerbatimError `invalid-argument` for an option outside its range, a mode without its reader,
 *   or a minimum confidence without a calibration
 */
export function planReading(
  given: AskOptions,
  parts: { model: ModelInfo; reader: Reader | undefined; strategy: StrategyName },
): ReadingPlan {
  const { model, reader, strategy } = parts;
  if (given.reader !== undefined) checkOneOf("reader", given.reader, READER_MODES);
  const calibrated = model.calibration !== undefined && reader?.info.calibration !== undefined;
  const canChoose = calibrated && reader.info.readBelow !== undefined;
  const mode = modeOf(given.reader, { strategy, hasReader: reader !== undefined, canChoose });
  if (mode !== "off" && reader === undefined) {
    throw new VerbatimError("invalid-argument", "No reader is open.", {
      hint: "Open the index with a reader, or ask with the reader off.",
    });
  }
  if (mode === "auto" && !canChoose) {
    throw new VerbatimError("invalid-argument", "The reader mode auto needs calibrated models.", {
      hint: "Ask with the reader on, or calibrate the models (scripts/calibrate.ts).",
    });
  }
  const { advanced = {}, budgetMs = Number.POSITIVE_INFINITY } = given;
  const { readBelow = reader?.info.readBelow ?? 0 } = advanced;
  if (advanced.readBelow !== undefined && !isShare(readBelow)) {
    refuseOption("readBelow", { expected: "a number from 0 to 1", found: readBelow });
  }
  if (!(budgetMs >= 1)) {
    refuseOption("budgetMs", { expected: "a number of milliseconds, at least 1", found: budgetMs });
  }
  const calibration = mode === "on" ? reader?.info.calibration : model.calibration;
  const hasConfidence = calibration !== undefined && !isByWords(strategy);
  const fallback = (hasConfidence ? advanced.defaultMinConfidence : undefined) ?? ASK_DEFAULTS.minConfidence;
  const { minConfidence = fallback } = given;
  checkConfidence(minConfidence, { hasConfidence, strategy });
  return { mode, readBelow, budgetMs, minConfidence };
}

function modeOf(
  given: ReaderMode | undefined,
  { strategy, hasReader, canChoose }: { strategy: StrategyName; hasReader: boolean; canChoose: boolean },
): ReaderMode {
  if (strategy === "sparta-reader") {
    if (given !== "off") return "on";
    throw new VerbatimError("invalid-argument", "The strategy sparta-reader does not work with the reader off.", {
      hint: "Ask with the reader on, or with another strategy.",
    });
  }
  if (strategy === "lexical") {
    // phrase search has no confidence to choose by: a reader that is there always reads
    if (given === undefined) return hasReader ? "on" : "off";
    return given === "auto" ? "on" : given;
  }
  return given ?? (canChoose ? "auto" : "off");
}

function checkConfidence(
  value: number | "calibrated",
  { hasConfidence, strategy }: { hasConfidence: boolean; strategy: StrategyName },
): void {
  if (value === "calibrated") return;
  if (!isShare(value)) {
    refuseOption("minConfidence", { expected: 'a number from 0 to 1, or "calibrated"', found: value });
  }
  if (value > 0 && !hasConfidence) {
    const who = isByWords(strategy) ? `The strategy ${strategy}` : "The model";
    throw new VerbatimError("invalid-argument", `${who} gives no confidence.`, {
      where: "minConfidence",
      hint: "Leave the minimum out. An index of level lexical gives confidences after verbatim upgrade.",
    });
  }
}

const isShare = (value: number): boolean => value >= 0 && value <= 1;
