import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../test/support/random.js";
import { createLinear, plainLinear } from "./linear.js";

describe("a linear layer", () => {
  it("gives identical bits in WASM and in TypeScript, and the result computed by hand", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          inputs: fc.integer({ min: 1, max: 70 }),
          outputs: fc.integer({ min: 1, max: 40 }),
        }),
        ({ seed, inputs, outputs }) => {
          const random = seededRandom(seed);
          const floats = (length: number) =>
            Float32Array.from({ length }, () => (random.next() - 0.5) * 10 ** random.whole(0, 6));
          const weights = { weight: floats(inputs * outputs), bias: floats(outputs) };
          const linear = createLinear(weights);
          for (const x of [floats(inputs), floats(inputs)]) {
            const found = linear(x);
            expect(found).toEqual(plainLinear(weights, x));
            const byHand = x.reduce((sum, value, h) => sum + value * weights.weight[h]!, weights.bias[0]!);
            expect(found[0]).toBe(Math.fround(byHand));
          }
        },
      ),
    );
  });
});
