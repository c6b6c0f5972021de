/** From judged questions to figures with intervals. */

import { bootstrapMean, pairedBootstrap } from "../../src/evaluate/bootstrap.js";
import { percentile } from "../../src/evaluate/percentile.js";
import type { SquadScore } from "../../src/evaluate/squad-score.js";
import type { Figure } from "./types.js";

/** Seed of all draws and intervals. */
export const SEED = 1;

/** Rounds to four decimals, so that files and pages show the same figure. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** The mean of marks with its 95 % interval. @param scale 100 for percent */
export function meanOf(marks: readonly number[], scale = 1): Figure {
  const { mean, low, high } = bootstrapMean(marks, { seed: SEED });
  return { value: rounded(scale * mean), low: rounded(scale * low), high: rounded(scale * high) };
}

/** Exact match and F1 in percent, as the official scripts of the set count them. */
export function spanFigures({ perQuestion }: SquadScore): Record<string, Figure> {
  const mean = (of: "exactMatch" | "f1"): Figure =>
    meanOf(
      perQuestion.map((question) => question[of]),
      100,
    );
  return { EM: mean("exactMatch"), F1: mean("f1") };
}

/** The mean of one − other over the same questions, in percent. */
export function differenceOf(one: readonly number[], other: readonly number[]): Figure {
  const { mean, low, high } = pairedBootstrap(one, other, { seed: SEED });
  return { value: rounded(100 * mean), low: rounded(100 * low), high: rounded(100 * high) };
}

/** Median and 99th percentile of times in milliseconds. */
export function timesOf(ms: readonly number[]): { "ms p50": Figure; "ms p99": Figure } {
  const sorted = Float64Array.from(ms).sort();
  const at = (share: number): Figure => ({ value: Math.round(10 * percentile(sorted, share)) / 10 });
  return { "ms p50": at(0.5), "ms p99": at(0.99) };
}
