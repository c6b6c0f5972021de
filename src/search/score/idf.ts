/** Inverse document frequency. */

/**
 * idf = log(1 + (N − n + 0.5) / (n + 0.5)), as in Lucene 8 and later. Always above 0. DrQA's
 * log((N − n + 0.5) / (n + 0.5)), clipped at 0, ignores words that are in over half of the units, so
 * that a corpus on one subject would find nothing by its main words.
 * @param units  N, the number of units (documents or passages)
 * @param having  n, the number of those that contain the word
 */
export function idf(units: number, having: number): number {
  return Math.log(1 + (units - having + 0.5) / (having + 0.5));
}
