/** The 32 ASCII punctuation marks of Python's `string.punctuation`. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** Whole words: Python's `\b` knows Unicode letters, digits and "_"; a combining mark is none of them. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
/** What Python's `str.split()` splits at; unlike JavaScript's `\s` with U+001C–1F and U+0085, without U+FEFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts them as white space
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * The answer in small letters, without punctuation and without articles, as words.
 * Source: evaluate-v1.1.py and evaluate-v2.0.py of SQuAD (`normalize_answer`).
 */
export function answerWords(answer: string): string[] {
  return answer
    .toLowerCase()
    .replace(PUNCTUATION, "")
    .replace(ARTICLES, " ")
    .split(WHITE_SPACE)
    .filter((word) => word !== "");
}

/** `answerWords` with one space between. */
export function normalizeAnswer(answer: string): string {
  return answerWords(answer).join(" ");
}

/** 1 if the prediction equals one of the golds after normalisation, else 0; 0 without golds. */
export function exactMatch(prediction: string, golds: readonly string[]): number {
  const normalized = normalizeAnswer(prediction);
  return golds.some((gold) => normalizeAnswer(gold) === normalized) ? 1 : 0;
}
