/** The result of a question. Types only. */

import type { IndexLevel } from "../index/format/level.js";
import type { Reading } from "../reader/types.js";
import type { PassageRestriction } from "../search/restriction/restriction.js";
import type { StrategyName } from "../search/strategies/names.js";
import type { Answer, RankedPassage, StepTimes } from "../search/types.js";
import type { Features } from "./confidence.js";

/** The best answer was found, but its confidence is below the minimum. */
export interface NoAnswer {
  confidence: number;
  minConfidence: number;
}

/** What the question says about the words of its answer's passage. */
export interface RestrictionResult extends PassageRestriction {
  /**
   * Only if no passage is left: the phrases that no passage contains. Empty if each phrase is in a
   * passage, but no passage meets the whole restriction.
   */
  missing?: string[];
  /**
   * Only if not all passages could be searched, because the index cannot look up a phrase, such as
   * one of function words: how many were, best ranked first. Without an answer, `missing` is then
   * empty.
   */
  searchedPassages?: number;
}

export interface AskResult {
  question: string;
  /** What was searched for, if typing mistakes were corrected or the question was too long: without operators. */
  searchedFor?: string;
  /** Only passages with these words, or without them, may answer: what was in quotation marks or had a hyphen. */
  restriction?: RestrictionResult;
  strategy: StrategyName;
  /** The level of the index, or `mixed` while it is being upgraded. */
  level: IndexLevel | "mixed";
  /** `spans`: the answers are spans that were scored or read; `sentences`: whole sentences found by their words. */
  kind: "spans" | "sentences";
  /** Best first. Empty if nothing was found, or with `noAnswer`. */
  answers: Answer[];
  /** The best answer's confidence is below the minimum. */
  noAnswer?: NoAnswer;
  /** Only with `noAnswer`: the best passages, best first; `text` is the whole passage. */
  nearestPassages?: Answer[];
  /** What the reader read; undefined if it did not read. */
  reading?: Reading;
  /** Passages that were encoded to answer, because the index does not store their rows. */
  encodedPassages?: number;
  /** True for `hybrid` if the index is in a cluster that stores no passage vectors. */
  withoutVectors?: true;
  /** Passages that were scored, best first, at most `advanced.rankedPassages`. */
  passages: RankedPassage[];
  /** The features of the best answer, with `advanced.features`. */
  features?: Features;
  /** Milliseconds per step. */
  steps: StepTimes;
  /** Milliseconds from the call to this result. */
  tookMs: number;
}
