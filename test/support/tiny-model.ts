/** Dimensions, scales and vocabulary of the tiny encoder. */

import type { ModelInfo } from "../../src/encode/types.js";
import { words } from "../../src/text/words.js";

export const tinyModel: ModelInfo = {
  name: "tiny",
  passageModelHash: "0123456789abcdef".repeat(4),
  questionModelHash: "fedcba9876543210".repeat(4),
  vocabularySize: 0,
  dense: 32,
  coherency: 16,
  vector: 16,
  maxInputTokens: 96,
  maxTitleTokens: 16,
  maxQuestionTokens: 64,
  scales: { start: 40, end: 40, coherencyStart: 400, coherencyEnd: 400, ngram: 100, term: 60 },
  weights: { ngrams: 0.5, terms: 1, tfidf: 1, vector: 1 },
  filter: { start: 0, end: 0 },
  ngramsPerRow: 8,
  termsPerUnit: 200,
};

/** Longer words are two pieces, so that there are words to begin or end in the middle of. */
const WHOLE_WORD = 7;
export const SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/** Every ASCII letter, digit and mark, alone and inside words, then the words of the texts. */
export function tinyVocabulary(texts: Iterable<string>): string[] {
  const entries = new Set(SPECIALS);
  for (let unit = 33; unit < 127; unit++) {
    const character = String.fromCharCode(unit).toLowerCase();
    entries.add(character);
    if (/[a-z0-9]/.test(character)) entries.add(`##${character}`);
  }
  for (const text of texts) {
    for (const { text: word } of words(text)) {
      const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
      if (plain.length <= WHOLE_WORD) entries.add(plain);
      else entries.add(plain.slice(0, 5)).add(`##${plain.slice(5)}`);
    }
  }
  return [...entries];
}
