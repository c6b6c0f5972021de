import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COHERENCY_MAXIMUM, DENSE_MAXIMUM, quantiseQuery } from "./quantise.js";

describe("quantiseQuery", () => {
  it("is accurate to half a step", () => {
    fc.assert(
      fc.property(
        fc.float32Array({ minLength: 1, maxLength: 64, noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(DENSE_MAXIMUM, COHERENCY_MAXIMUM),
        (vector, maximum) => {
          const { values, scale } = quantiseQuery(vector, { maximum });
          for (const [d, value] of values.entries()) {
            expect(Math.abs(value)).toBeLessThanOrEqual(maximum);
            expect(Math.abs(vector[d]! * scale - value)).toBeLessThanOrEqual(0.5 + 1e-6);
          }
        },
      ),
    );
  });

  it("accepts a zero vector", () => {
    expect(quantiseQuery(new Float32Array(4))).toEqual({ values: new Int16Array(4), scale: 1 });
  });

  it("rejects values that are not finite and vectors that could overflow", () => {
    expect(() => quantiseQuery(Float32Array.of(1, Number.NaN))).toThrow(/finite/);
    expect(() => quantiseQuery(Float32Array.of(1, Infinity))).toThrow(/finite/);
    expect(() => quantiseQuery(new Float32Array(513))).toThrow(/overflow/);
    expect(() => quantiseQuery(new Float32Array(65), { maximum: COHERENCY_MAXIMUM })).toThrow(/overflow/);
  });
});
