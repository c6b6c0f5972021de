/** Measures how reliable confidences are. */

import { Random } from "../vectors/random.js";

/** Guo et al. 2017, §2: "15 bins". */
const BINS = 15;

/** Answers whose confidence is in [from, to), or [from, to] for the last bin. */
export interface Bin {
  from: number;
  to: number;
  count: number;
  /** Means over the bin; NaN if it is empty. */
  confidence: number;
  accuracy: number;
}

/**
 * Bins of equal width, ascending. @param right 0 or 1 each @throws RangeError for lists of
 * different lengths or a confidence outside 0 to 1
 */
export function reliability(confidence: ArrayLike<number>, right: ArrayLike<number>, bins = BINS): Bin[] {
  if (confidence.length !== right.length)
    throw new RangeError("The numbers of outcomes and confidences must be equal.");
  const sums = Array.from({ length: bins }, () => ({ count: 0, confidence: 0, right: 0 }));
  for (let i = 0; i < confidence.length; i++) {
    const p = confidence[i]!;
    if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is not a confidence.`);
    const bin = sums[Math.min(bins - 1, Math.floor(p * bins))]!;
    bin.count++;
    bin.confidence += p;
    bin.right += right[i]!;
  }
  return sums.map((bin, b) => ({
    from: b / bins,
    to: (b + 1) / bins,
    count: bin.count,
    confidence: bin.confidence / bin.count,
    accuracy: bin.right / bin.count,
  }));
}

/**
 * Expected calibration error: Σ count / all · |accuracy − confidence|, 0 to 1; NaN for no answers
 * (Naeini et al. 2015; Guo et al. 2017, Eq. 3).
 */
export function calibrationError(bins: readonly Bin[]): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return (
    bins.reduce((sum, bin) => sum + (bin.count === 0 ? 0 : bin.count * Math.abs(bin.accuracy - bin.confidence)), 0) /
    all
  );
}

/** Calibration errors of confidences that are exactly right, by chance alone. */
export interface ChanceError {
  mean: number;
  /** The 95th percentile: a larger error is not chance. */
  high: number;
}

/**
 * The calibration error is above 0 by chance, the more so the fewer answers there are (Roelofs et al.
 * 2022, §3). This draws whether each answer is right with its own confidence as the probability, and
 * measures those. NaN for no answers. O(draws · n)
 */
export function chanceCalibrationError(
  confidence: ArrayLike<number>,
  { draws = 1000, seed = 1 }: { draws?: number; seed?: number } = {},
): ChanceError {
  const random = new Random(seed);
  const errors = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    const right = Array.from(confidence, (p) => Number(random.next() < p));
    errors[draw] = calibrationError(reliability(confidence, right));
  }
  errors.sort();
  return {
    mean: errors.reduce((sum, error) => sum + error, 0) / draws,
    high: errors[Math.ceil(0.95 * draws) - 1]!,
  };
}

/**
 * Area under the ROC curve: probability that a value of the first list is above one of the second,
 * ties count half. NaN if a list is empty. O(n log n)
 */
export function auroc(positives: ArrayLike<number>, negatives: ArrayLike<number>): number {
  const all = [
    ...Array.from(positives, (value) => ({ value, positive: 1 })),
    ...Array.from(negatives, (value) => ({ value, positive: 0 })),
  ].sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let i = 0; i < all.length; ) {
    let j = i;
    let tied = 0;
    while (j < all.length && all[j]!.value === all[i]!.value) tied += all[j++]!.positive;
    rankSum += (tied * (i + 1 + j)) / 2; // ranks i + 1 … j share their mean
    i = j;
  }
  const n = positives.length;
  return (rankSum - (n * (n + 1)) / 2) / (n * negatives.length);
}
