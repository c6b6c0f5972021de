import { describe, expect, it } from "vitest";
import { Random } from "../vectors/random.js";
import { bootstrapMean, pairedBootstrap } from "./bootstrap.js";

const coins = (n: number, share: number, seed: number): number[] => {
  const random = new Random(seed);
  return Array.from({ length: n }, () => (random.next() < share ? 1 : 0));
};

describe("bootstrapMean", () => {
  it("agrees with the normal approximation for a share", () => {
    const values = coins(1000, 0.6, 3);
    const { mean, low, high } = bootstrapMean(values, { seed: 4 });
    const error = 1.96 * Math.sqrt((mean * (1 - mean)) / 1000);
    expect(low).toBeCloseTo(mean - error, 2);
    expect(high).toBeCloseTo(mean + error, 2);
  });

  it("is the same for the same seed and a point for equal values", () => {
    const random = new Random(1);
    const values = Array.from({ length: 50 }, () => random.next());
    expect(bootstrapMean(values, { seed: 9 })).toEqual(bootstrapMean(values, { seed: 9 }));
    expect(bootstrapMean(values, { seed: 9 })).not.toEqual(bootstrapMean(values, { seed: 10 }));
    expect(bootstrapMean([2, 2, 2])).toEqual({ mean: 2, low: 2, high: 2 });
    expect(bootstrapMean([]).mean).toBeNaN();
  });

  it("holds the true mean in about 95 of 100 samples", () => {
    let inside = 0;
    for (let n = 0; n < 200; n++) {
      const { low, high } = bootstrapMean(coins(200, 0.3, 1000 + n), { seed: n, resamples: 500 });
      if (low <= 0.3 && 0.3 <= high) inside++;
    }
    expect(inside).toBeGreaterThan(180);
    expect(inside).toBeLessThan(199);
  });

  it("refuses senseless numbers of resamples", () => {
    expect(() => bootstrapMean([1], { resamples: 0 })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("pairedBootstrap", () => {
  it("sees a small difference that holds for the same questions", () => {
    const b = coins(500, 0.5, 5);
    const a = b.map((value, n) => (n % 20 === 0 ? 1 : value));
    const { mean, low, pValue } = pairedBootstrap(a, b);
    expect(mean).toBeGreaterThan(0);
    expect(low).toBeGreaterThan(0);
    expect(pValue).toBeLessThan(0.01);
  });

  it("sees none between equal systems, and refuses unequal lists", () => {
    const a = coins(100, 0.5, 6);
    expect(pairedBootstrap(a, a)).toEqual({ mean: 0, low: 0, high: 0, pValue: 1 });
    expect(() => pairedBootstrap(a, [1])).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
