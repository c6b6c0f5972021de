/** The 32 ASCII punctuation marks of Python's `string.punctuation`. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** Whole words: Python's `\b` counts Unicode letters, digits and "_", but not combining marks. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
/**
 * White space of Python's `str.split()`: JavaScript's `\s` plus U+001C–1F and U+0085, without
 * U+FEFF.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python treats them as white space
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * The words of the answer in lower case, without punctuation and articles.
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

/** `answerWords` joined by single spaces. */
export function normalizeAnswer(answer: string): string {
  return answerWords(answer).join(" ");
}

/** 1 if the prediction equals one of the golds after normalisation, else 0; 0 without golds. */
export function exactMatch(prediction: string, golds: readonly string[]): number {
  const normalized = normalizeAnswer(prediction);
  return golds.some((gold) => normalizeAnswer(gold) === normalized) ? 1 : 0;
}
