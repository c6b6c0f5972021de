import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gramFeature, gramWeights, roundedUp, weightedTerms } from "./sparse-query.js";

/** As a store keeps it: 8 bits of a float32's fraction, the others cut off. */
function asStored(value: number): number {
  const float = Float32Array.of(value);
  const bits = new Uint32Array(float.buffer);
  bits[0]! &= ~0x7fff;
  return float[0]!;
}

describe("what a store of coarse numbers is given", () => {
  it("is kept by it exactly, and is never less than the number, nor more than 1/256 above it", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 300, noNaN: true }), (value) => {
        const up = roundedUp(value);
        expect(asStored(up)).toBe(up);
        expect(up).toBeGreaterThanOrEqual(value);
        expect(up).toBeLessThanOrEqual(value * (1 + 1 / 256) + 1e-12);
      }),
    );
    for (let impact = 1; impact <= 255; impact++) expect(asStored(impact)).toBe(impact);
  });

  it("sums to no less than tf-idf of a unit, whatever the frequencies", () => {
    const gram = fc.record({
      tf: fc.integer({ min: 0, max: 255 }),
      asked: fc.integer({ min: 1, max: 9 }),
      live: fc.nat(1000),
    });
    fc.assert(
      fc.property(
        fc.array(gram, { minLength: 1, maxLength: 12 }),
        fc.double({ min: 1, max: 80, noNaN: true }),
        (grams, norm) => {
          const asked = grams.map(({ asked }, bucket) => [bucket, asked] as const);
          const lambda = 10;
          const frequency = (bucket: number) => grams[bucket]!.live;
          const weights = gramWeights(asked, { lambda, total: 1000, frequency });
          const idf = grams.map(({ live }) => Math.log(1 + (1000 - live + 0.5) / (live + 0.5)));
          const wq = grams.map((g, n) => Math.log(1 + g.asked) * idf[n]!);
          const length = Math.sqrt(wq.reduce((sum, w) => sum + w * w, 0));
          const exact =
            (lambda * grams.reduce((sum, { tf }, n) => sum + wq[n]! * Math.log(1 + tf) * idf[n]!, 0)) / length / norm;
          const bound = grams.reduce((sum, { tf }, n) => sum + (tf === 0 ? 0 : weights[n]! * gramFeature(tf, norm)), 0);
          expect(bound).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
          expect(bound).toBeLessThanOrEqual(exact * (1 + 1 / 200));
        },
      ),
    );
  });

  it("leaves out terms that could only lower a score", () => {
    const question = { terms: Uint16Array.of(5, 6, 7), termWeights: Float32Array.of(2, -1, 0) };
    const model = { weights: { terms: 3 }, scales: { term: 2 } };
    expect(weightedTerms(question as never, model as never)).toEqual([{ term: 5, weight: 3 }]);
  });
});
