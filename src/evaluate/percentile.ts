/**
 * The value that a share of the values is below (nearest rank).
 * @param sorted  ascending
 * @param share  0 to 1
 * @returns NaN if there are no values
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
