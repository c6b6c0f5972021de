/**
 * CMRC 2018's scorer for Chinese: exact match of characters without punctuation, and F1 of the longest common run of
 * segments, a segment being a Chinese character or a word of other text. Source: cmrc2018_evaluate.py
 * (`calc_em_score`, `calc_f1_score`). Its words come from NLTK; a full stop inside an answer may divide them
 * differently there, because NLTK looks for sentences first.
 */

import { treebankWords } from "./treebank-words.js";

/** The script's list. Its "……" has two characters and so never matches one. */
const PUNCTUATION: ReadonlySet<string> = new Set("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』");
const CHINESE = /[\u4e00-\u9fa5]/;

/** The characters that exact match compares. */
export function cmrcCharacters(answer: string): string {
  return Array.from(lower(answer))
    .filter((character) => !PUNCTUATION.has(character))
    .join("");
}

/** The segments that F1 compares, without punctuation of the script's list. */
export function cmrcSegments(answer: string): string[] {
  const segments: string[] = [];
  let other = "";
  for (const character of lower(answer)) {
    if (PUNCTUATION.has(character)) continue;
    if (CHINESE.test(character)) {
      segments.push(...treebankWords(other), character);
      other = "";
    } else other += character;
  }
  return [...segments, ...treebankWords(other)];
}

/** 1 if the prediction has the characters of one of the golds, else 0. */
export function cmrcExactMatch(prediction: string, golds: readonly string[]): number {
  const characters = cmrcCharacters(prediction);
  return golds.some((gold) => cmrcCharacters(gold) === characters) ? 1 : 0;
}

/**
 *   F1 = 2 · P · R / (P + R),  P = run / |prediction|,  R = run / |gold|, the best over the golds
 * with `run` the length of the longest run of segments that both have.
 * @returns 0 to 1; 0 without golds
 */
export function cmrcF1(prediction: string, golds: readonly string[]): number {
  const predicted = cmrcSegments(prediction);
  let best = 0;
  for (const gold of golds) {
    const segments = cmrcSegments(gold);
    const run = longestCommonRun(segments, predicted);
    if (run > 0) best = Math.max(best, (2 * run) / (segments.length + predicted.length));
  }
  return best;
}

/** O(|a| · |b|) */
function longestCommonRun(a: readonly string[], b: readonly string[]): number {
  let longest = 0;
  let before = new Uint32Array(b.length + 1);
  for (const segment of a) {
    const now = new Uint32Array(b.length + 1);
    for (let j = 0; j < b.length; j++) {
      if (b[j] !== segment) continue;
      now[j + 1] = before[j]! + 1;
      longest = Math.max(longest, now[j + 1]!);
    }
    before = now;
  }
  return longest;
}

/** Python's `lower().strip()`. */
function lower(answer: string): string {
  return answer.toLowerCase().trim();
}
