import { cmrcCharacters, cmrcExactMatch, cmrcF1 } from "./cmrc-score.js";
import { answerWords, exactMatch } from "./exact-match.js";
import { f1, type SquadVersion } from "./f1.js";
import { mlqaExactMatch, mlqaF1, mlqaWords } from "./mlqa-score.js";

/** How a predicted answer is compared with the gold ones; both measures are 0 to 1. */
export interface AnswerMetric {
  exactMatch(prediction: string, golds: readonly string[]): number;
  f1(prediction: string, golds: readonly string[]): number;
  /** True if a gold is in the text: whole words in a row; in Chinese, Japanese and Korean, characters in a row. */
  isIn(text: string, golds: readonly string[]): boolean;
}

/** English is scored as by SQuAD's scripts, Chinese as by CMRC 2018's, other languages as by MLQA's. */
export function metricOf(language: string, version: SquadVersion = "1.1"): AnswerMetric {
  if (language === "en") {
    return {
      exactMatch,
      f1: (prediction, golds) => f1(prediction, golds, { version }),
      isIn: (text, golds) => containsRun(answerWords, text, golds),
    };
  }
  if (language === "zh") {
    const characters = (text: string): string[] => [cmrcCharacters(text)];
    return { exactMatch: cmrcExactMatch, f1: cmrcF1, isIn: (text, golds) => containsJoined(characters, text, golds) };
  }
  const words = (text: string): string[] => mlqaWords(text, language);
  const contains = language === "ja" || language === "ko" ? containsJoined : containsRun;
  return {
    exactMatch: (prediction, golds) => mlqaExactMatch(prediction, golds, language),
    f1: (prediction, golds) => mlqaF1(prediction, golds, language),
    isIn: (text, golds) => contains(words, text, golds),
  };
}

type Divide = (text: string) => readonly string[];

function containsRun(divide: Divide, text: string, golds: readonly string[]): boolean {
  const all = ` ${divide(text).join(" ")} `;
  return golds.some((gold) => {
    const words = divide(gold);
    return words.length > 0 && all.includes(` ${words.join(" ")} `);
  });
}

function containsJoined(divide: Divide, text: string, golds: readonly string[]): boolean {
  const all = divide(text).join("");
  return golds.some((gold) => {
    const joined = divide(gold).join("");
    return joined !== "" && all.includes(joined);
  });
}
