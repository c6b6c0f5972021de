/**
 * MLQA's scorer: SQuAD's measures with punctuation of any script and the articles of a language. Source:
 * mlqa_evaluation_v1.py (`normalize_answer`). Languages that are not in MLQA: the articles of French are FQuAD's;
 * those of Italian, Portuguese and Dutch are our choice; Japanese is divided as MLQA divides Chinese, with kana; F1
 * of Korean counts characters, as KorQuAD 1.0's script does, because particles are written at the end of words.
 */

import { overlapF1 } from "./f1.js";

const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu;
const WORD = "\\p{L}\\p{N}_";
const articles = (list: string): RegExp => new RegExp(`(?<![${WORD}])(?:${list})(?![${WORD}])`, "gu");

/** Languages with a list of articles. Others have none that are removed. */
const ARTICLES: Readonly<Record<string, RegExp>> = {
  en: articles("a|an|the"),
  es: articles("un|una|unos|unas|el|la|los|las"),
  de: articles("ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des"),
  fr: articles("le|la|les|l'|du|des|au|aux|un|une"),
  it: articles("il|lo|la|i|gli|le|un|uno|una"),
  pt: articles("o|a|os|as|um|uma|uns|umas"),
  nl: articles("de|het|een"),
  ar: /\sال^|ال/gu,
};
/** "l'acqua": without this, punctuation would be removed first and leave "lacqua". FQuAD's script does leave it. */
const ITALIAN_ELISION = new RegExp(`(?<![${WORD}])(?:l|un)['’]`, "gu");
/** Characters of Japanese that are a word each: kana and Han. */
const JAPANESE = /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/gu;

/** The words of an answer in lower case, without punctuation and without the language's articles. */
export function mlqaWords(answer: string, language: string): string[] {
  const lower = answer.toLowerCase();
  const plain = (language === "it" ? lower.replace(ITALIAN_ELISION, " ") : lower).replace(PUNCTUATION, "");
  const articles = ARTICLES[language];
  const left = articles === undefined ? plain : plain.replace(articles, " ");
  const divided = language === "ja" ? left.replace(JAPANESE, " $& ") : left;
  return divided.split(/\s+/u).filter((word) => word !== "");
}

/** 1 if the prediction equals one of the golds after normalisation, else 0. */
export function mlqaExactMatch(prediction: string, golds: readonly string[], language: string): number {
  const normalized = mlqaWords(prediction, language).join(" ");
  return golds.some((gold) => mlqaWords(gold, language).join(" ") === normalized) ? 1 : 0;
}

/** Overlap of words (Korean: characters), the best over the golds. @returns 0 to 1; 0 without golds */
export function mlqaF1(prediction: string, golds: readonly string[], language: string): number {
  const unitsOf = (answer: string): string[] => {
    const words = mlqaWords(answer, language);
    return language === "ko" ? Array.from(words.join("")) : words;
  };
  const predicted = unitsOf(prediction);
  return golds.reduce((best, gold) => Math.max(best, overlapF1(predicted, unitsOf(gold))), 0);
}
