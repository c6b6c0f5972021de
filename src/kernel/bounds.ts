/**
 * Upper bounds of inner products: exact over the first dimensions of a row, the head, and for the
 * rest the product of both lengths (Cauchy–Schwarz).
 */

/** Passages per block of `Totals.largest`. */
export const TOTALS_BLOCK = 64;

/** Half of the shipped models' 192 dimensions (docs/research/2026-11-27-bounds.md). */
const HEAD_DIMENSIONS = 96;

/** Dimensions of the head and of the rest; both are multiples of 16. */
export function partsOf(dim: number): { head: number; rest: number } {
  const head = Math.min(dim, HEAD_DIMENSIONS);
  return { head, rest: dim - head };
}

/** Length of the rest of a query. */
export function restLength(query: Int16Array): number {
  let sum = 0;
  for (let d = partsOf(query.length).head; d < query.length; d++) sum += query[d]! ** 2;
  return Math.sqrt(sum);
}
