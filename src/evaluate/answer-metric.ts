import { cmrcCharacters, cmrcExactMatch, cmrcF1 } from "./cmrc-score.js";
import { answerWords, exactMatch } from "./exact-match.js";
import { f1, type SquadVersion } from "./f1.js";
import { mlqaExactMatch, mlqaF1, mlqaWords } from "./mlqa-score.js";

/** How a predicted answer is compared with the gold ones; both measures are 0 to 1. */
export interface AnswerMetric {
  exactMatch(prediction: string, golds: readonly string[]): number;
  f1(prediction: string, golds: readonly string[]): number;
  /** True if nothing of an answer is compared: it has no words. */
  isEmpty(answer: string): boolean;
  /** True if a gold is in the text: whole words in a row; in Chinese, Japanese and Korean, characters in a row. */
  isIn(text: string, golds: readonly string[]): boolean;
}

/** English is scored as by SQuAD's scripts, Chinese as by CMRC 2018's, other languages as by MLQA's. */
export function metricOf(language: string, version: SquadVersion = "1.1"): AnswerMetric {
  if (language === "en") {
    return {
      exactMatch,
      f1: (prediction, golds) => f1(prediction, golds, { version }),
      isEmpty: (answer) => answerWords(answer).length === 0,
      isIn: (text, golds) => containsRun(answerWords, text, golds),
    };
  }
  if (language === "zh") {
    const characters = (text: string): string[] => [cmrcCharacters(text)];
    const isEmpty = (answer: string): boolean => cmrcCharacters(answer) === "";
    return {
      exactMatch: cmrcExactMatch,
      f1: version === "2.0" ? withEmpty(cmrcF1, isEmpty) : cmrcF1,
      isEmpty,
      isIn: (text, golds) => containsJoined(characters, text, golds),
    };
  }
  const words = (text: string): string[] => mlqaWords(text, language);
  const contains = language === "ja" || language === "ko" ? containsJoined : containsRun;
  const isEmpty = (answer: string): boolean => words(answer).length === 0;
  const overlap: Measure = (prediction, golds) => mlqaF1(prediction, golds, language);
  return {
    exactMatch: (prediction, golds) => mlqaExactMatch(prediction, golds, language),
    f1: version === "2.0" ? withEmpty(overlap, isEmpty) : overlap,
    isEmpty,
    isIn: (text, golds) => contains(words, text, golds),
  };
}

type Measure = AnswerMetric["f1"];

/** As the script of SQuAD 2.0: 1 if prediction and gold are both empty. */
function withEmpty(f1Of: Measure, isEmpty: (answer: string) => boolean): Measure {
  return (prediction, golds) => (isEmpty(prediction) && golds.some(isEmpty) ? 1 : f1Of(prediction, golds));
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
