import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../vectors/random.js";
import { auroc, calibrationError, chanceCalibrationError, reliability } from "./calibration.js";
import { fitLogistic } from "./fit-logistic.js";

describe("calibration error", () => {
  it("is the weighted distance of confidence and accuracy, by hand", () => {
    // two bins of two: 0.25 sure and never right, 0.75 sure and always right; one at exactly 1
    const bins = reliability([0.2, 0.3, 0.7, 0.8, 1], [0, 0, 1, 1, 0], 2);
    expect(bins.map(({ count }) => count)).toEqual([2, 3]);
    expect(bins[0]).toMatchObject({ from: 0, to: 0.5, confidence: 0.25, accuracy: 0 });
    expect(bins[1]!.accuracy).toBeCloseTo(2 / 3, 12);
    expect(calibrationError(bins)).toBeCloseTo((2 * 0.25 + 3 * Math.abs(2.5 / 3 - 2 / 3)) / 5, 12);
  });

  it("is small for honest confidences and large for boasting ones", () => {
    const random = new Random(3);
    const honest = Array.from({ length: 20_000 }, () => random.next());
    const right = honest.map((p) => Number(random.next() < p));
    expect(calibrationError(reliability(honest, right))).toBeLessThan(0.02);
    const boasting = honest.map((p) => Math.sqrt(p));
    expect(calibrationError(reliability(boasting, right))).toBeGreaterThan(0.1);
  });

  it("refuses a number that is not a confidence", () => {
    for (const p of [-0.1, 1.1, Number.NaN]) expect(() => reliability([p], [1])).toThrow(RangeError);
    expect(calibrationError(reliability([], []))).toBeNaN();
  });
});

describe("calibration error by chance", () => {
  it("of one answer is the mean distance to 0 and 1, by hand", () => {
    // 0.9 sure: an error of 0.1 nine times of ten, of 0.9 once
    const { mean, high } = chanceCalibrationError([0.9], { draws: 20_000 });
    expect(mean).toBeCloseTo(0.9 * 0.1 + 0.1 * 0.9, 1);
    expect(high).toBeCloseTo(0.9, 12);
    expect(chanceCalibrationError([0, 1, 1])).toEqual({ mean: 0, high: 0 });
    expect(chanceCalibrationError([])).toEqual({ mean: Number.NaN, high: Number.NaN });
  });

  it("is above most errors of honest confidences, below those of boasting ones, and falls with more answers", () => {
    const random = new Random(7);
    const highs = [100, 400, 1600].map((count) => {
      let above = 0;
      let high = 0;
      for (let trial = 0; trial < 40; trial++) {
        const honest = Array.from({ length: count }, () => random.next());
        const right = honest.map((p) => Number(random.next() < p));
        high = chanceCalibrationError(honest, { draws: 200, seed: trial + 1 }).high;
        above += Number(calibrationError(reliability(honest, right)) > high);
        const boasting = honest.map((p) => Math.sqrt(p));
        expect(calibrationError(reliability(boasting, right))).toBeGreaterThan(count === 100 ? 0 : high);
      }
      expect(above).toBeLessThanOrEqual(6); // 2 expected of 40
      return high;
    });
    expect(highs[1]).toBeLessThan(0.7 * highs[0]!);
    expect(highs[2]).toBeLessThan(0.7 * highs[1]!);
  });
});

describe("AUROC", () => {
  it("is the share of pairs in the right order, ties half", () => {
    const list = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(list, list, (positives, negatives) => {
        let wins = 0;
        for (const a of positives) for (const b of negatives) wins += a > b ? 1 : a === b ? 0.5 : 0;
        expect(auroc(positives, negatives)).toBeCloseTo(wins / (positives.length * negatives.length), 10);
      }),
      { seed: 6, numRuns: 200 },
    );
    expect(auroc([], [1])).toBeNaN();
  });
});

describe("fitLogistic", () => {
  it("finds what made-up outcomes were drawn from, and gives nothing to a figure that speaks against", () => {
    const random = new Random(11);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const rows = Array.from({ length: 4000 }, () => [normal(), normal(), normal()]);
    const labels = rows.map(([a, b, c]) =>
      Number(random.next() < 1 / (1 + Math.exp(-(0.5 + 1.5 * a! + 0.7 * b! - 0.8 * c!)))),
    );
    const { intercept, weights } = fitLogistic(rows, labels, { steps: 600 });
    expect(weights[2]).toBe(0);
    // leaving out −0.8 c shrinks the others a little (a mixture of logistics)
    expect(intercept).toBeGreaterThan(0.3);
    expect(intercept).toBeLessThan(0.6);
    expect(weights[0]! / weights[1]!).toBeGreaterThan(1.7);
    expect(weights[0]! / weights[1]!).toBeLessThan(2.6);
    // the minimum: no step from it is better
    const loss = (w: readonly number[], b: number): number =>
      rows.reduce(
        (sum, row, i) => {
          const p = 1 / (1 + Math.exp(-(b + w[0]! * row[0]! + w[1]! * row[1]! + w[2]! * row[2]!)));
          return sum - Math.log(labels[i] === 1 ? p : 1 - p) / rows.length;
        },
        5e-4 * w.reduce((sum, x) => sum + x * x, 0),
      );
    const w = [...weights];
    const best = loss(w, intercept);
    for (const d of [0, 1, 2]) {
      for (const by of [-0.02, 0.02]) {
        const moved = w.map((x, e) => (e === d ? Math.max(0, x + by) : x));
        expect(loss(moved, intercept)).toBeGreaterThanOrEqual(best - 1e-9);
      }
    }
    expect(loss(w, intercept + 0.02)).toBeGreaterThan(best);
    expect(loss(w, intercept - 0.02)).toBeGreaterThan(best);
  });

  it("needs rows", () => {
    expect(() => fitLogistic([], [])).toThrow(RangeError);
  });
});
