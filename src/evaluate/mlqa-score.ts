/**
 * MLQA's scorer: SQuAD's measures with punctuation of any script and the articles of a language.
 * Source: mlqa_evaluation_v1.py (`normalize_answer`). French is not in MLQA; its articles are FQuAD's.
 */

import { overlapF1 } from "./f1.js";

const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu;
const WORD = "\\p{L}\\p{N}_";
const articles = (list: string): RegExp => new RegExp(`(?<![${WORD}])(?:${list})(?![${WORD}])`, "gu");

/** Languages with a list of articles. Others have none that the script removes. */
const ARTICLES: Readonly<Record<string, RegExp>> = {
  en: articles("a|an|the"),
  es: articles("un|una|unos|unas|el|la|los|las"),
  de: articles("ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des"),
  fr: articles("le|la|les|l'|du|des|au|aux|un|une"),
  ar: /\sال^|ال/gu,
};

/** The words of an answer in lower case, without punctuation and without the language's articles. */
export function mlqaWords(answer: string, language: string): string[] {
  const plain = answer.toLowerCase().replace(PUNCTUATION, "");
  const articles = ARTICLES[language];
  const left = articles === undefined ? plain : plain.replace(articles, " ");
  return left.split(/\s+/u).filter((word) => word !== "");
}

/** 1 if the prediction equals one of the golds after normalisation, else 0. */
export function mlqaExactMatch(prediction: string, golds: readonly string[], language: string): number {
  const normalized = mlqaWords(prediction, language).join(" ");
  return golds.some((gold) => mlqaWords(gold, language).join(" ") === normalized) ? 1 : 0;
}

/** Overlap of words, the best over the golds. @returns 0 to 1; 0 without golds */
export function mlqaF1(prediction: string, golds: readonly string[], language: string): number {
  const predicted = mlqaWords(prediction, language);
  return golds.reduce((best, gold) => Math.max(best, overlapF1(predicted, mlqaWords(gold, language))), 0);
}
