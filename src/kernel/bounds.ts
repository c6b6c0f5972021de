/**
 * Upper bounds of inner products, for a third of the work: exact over the first dimensions of a
 * row, and for the rest the product of both lengths (Cauchy and Schwarz).
 */

/** Dimensions that a bound is exact over; a multiple of 16. */
const EXACT_DIMENSIONS = 64;

/** Of rows with `dim` dimensions: how many a bound is exact over. */
export function exactDimensions(dim: number): number {
  return Math.min(dim, EXACT_DIMENSIONS);
}

/** Length of the dimensions of a query that a bound is not exact over. */
export function restLength(query: Int16Array): number {
  let sum = 0;
  for (let d = exactDimensions(query.length); d < query.length; d++) sum += query[d]! ** 2;
  return Math.sqrt(sum);
}
