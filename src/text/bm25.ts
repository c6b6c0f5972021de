/** The parts of BM25 that do not depend on where words are counted. */

/** Saturation of the term frequency, and share of the length normalisation: Anserini's defaults. */
const K1 = 0.9;
const B = 0.4;

/**
 * idf = log(1 + (N − n + 0.5) / (n + 0.5)), as in Lucene 8 and later. Always above 0. DrQA's
 * log((N − n + 0.5) / (n + 0.5)), clipped at 0, ignores words that are in over half of the texts, so
 * that a corpus on one subject would find nothing by its main words.
 * @param total  N, the number of texts (documents or passages)
 * @param containing  n, the number of those that contain the word
 */
export function idf(total: number, containing: number): number {
  return Math.log(1 + (total - containing + 0.5) / (containing + 0.5));
}

/**
 * What is added to a word's frequency tf in the denominator: BM25 = Σ_w idf(w) · tf / (tf + lengthNorm), with
 * lengthNorm = k1 · (1 − b + b · length / mean).
 */
export function lengthNorm(length: number, mean: number): number {
  return K1 * (1 - B + (B * length) / mean);
}
