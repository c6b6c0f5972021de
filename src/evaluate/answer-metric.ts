import { cmrcExactMatch, cmrcF1 } from "./cmrc-score.js";
import { exactMatch } from "./exact-match.js";
import { f1, type SquadVersion } from "./f1.js";
import { mlqaExactMatch, mlqaF1 } from "./mlqa-score.js";

/** How a predicted answer is compared with the gold ones; both measures are 0 to 1. */
export interface AnswerMetric {
  exactMatch(prediction: string, golds: readonly string[]): number;
  f1(prediction: string, golds: readonly string[]): number;
}

/** Languages of questions and answers that the evaluations know. */
export const ANSWER_LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko", "ar"] as const;

/** English is scored as by SQuAD's scripts, Chinese as by CMRC 2018's, other languages as by MLQA's. */
export function metricOf(language: string, version: SquadVersion = "1.1"): AnswerMetric {
  if (language === "en") return { exactMatch, f1: (prediction, golds) => f1(prediction, golds, { version }) };
  if (language === "zh") return { exactMatch: cmrcExactMatch, f1: cmrcF1 };
  return {
    exactMatch: (prediction, golds) => mlqaExactMatch(prediction, golds, language),
    f1: (prediction, golds) => mlqaF1(prediction, golds, language),
  };
}
