import { VerbatimError } from "../errors.js";
import { Random } from "../vectors/random.js";

/** Share of the resampled means inside an interval. */
const CONFIDENCE = 0.95;

interface BootstrapOptions {
  /** Seed of the random numbers; the same seed gives the same interval. Default 1. */
  seed?: number;
  /** Number of resamples; default 2000. */
  resamples?: number;
}

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

interface PairedDifference extends Interval {
  /**
   * Two-sided: twice the smaller share of resampled differences on one side of 0, ties on both; at
   * most 1.
   */
  pValue: number;
}

/**
 * Percentile bootstrap of a mean (Efron 1979): questions are drawn with replacement. NaN throughout
 * for no values.
 */
export function bootstrapMean(values: ArrayLike<number>, options: BootstrapOptions = {}): Interval {
  return { mean: mean(values), ...percentiles(resampledMeans(values, options)) };
}

/**
 * The difference of two systems over the same questions: the mean of a − b, its interval, and the
 * p-value of the opposite sign.
 * @throws VerbatimError `invalid-argument` if the two lists differ in length
 */
export function pairedBootstrap(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options: BootstrapOptions = {},
): PairedDifference {
  if (a.length !== b.length) {
    throw new VerbatimError("invalid-argument", "A paired comparison needs the same questions on both sides.", {
      found: b.length,
      expected: a.length,
    });
  }
  const differences = Float64Array.from(a, (value, i) => value - b[i]!);
  const means = resampledMeans(differences, options);
  const notAbove = means.filter((value) => value <= 0).length / means.length;
  const notBelow = means.filter((value) => value >= 0).length / means.length;
  return {
    mean: mean(differences),
    ...percentiles(means),
    pValue: Math.min(1, 2 * Math.min(notAbove, notBelow)),
  };
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Ascending. O(resamples · values) */
function resampledMeans(values: ArrayLike<number>, { seed = 1, resamples = 2000 }: BootstrapOptions): Float64Array {
  if (!Number.isInteger(resamples) || resamples < 1) {
    throw new VerbatimError("invalid-argument", "resamples must be a whole number of at least 1.", {
      found: resamples,
    });
  }
  const random = new Random(seed);
  const means = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[random.int(values.length)]!;
    means[r] = sum / values.length;
  }
  return means.sort();
}

/** Nearest ranks on both sides, the tails of equal size. */
function percentiles(sorted: Float64Array): { low: number; high: number } {
  const tail = Math.floor(((1 - CONFIDENCE) / 2) * sorted.length);
  return { low: sorted[tail]!, high: sorted[sorted.length - 1 - tail]! };
}
