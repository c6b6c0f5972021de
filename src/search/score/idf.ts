/** Inverse document frequency. */

/**
 * log(1 + (N − n + 0.5) / (n + 0.5)) of N units, n of them with it: above 0 whatever n is, where DrQA's log((N − n + 0.5) / (n + 0.5))
 * is ≤ 0 for what is in over half of the units and is clipped there, so that a corpus on one subject finds nothing. (Lucene's since 8, too.)
 */
export function idf(units: number, having: number): number {
  return Math.log(1 + (units - having + 0.5) / (having + 0.5));
}
