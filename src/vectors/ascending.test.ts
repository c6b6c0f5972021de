import fc from "fast-check";
import { expect, it } from "vitest";
import { countAtMost, lastIndexIn } from "./ascending.js";

it("countAtMost and lastIndexIn agree with a look at every value", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (numbers, value) => {
      const values = numbers.sort((a, b) => a - b);
      expect(countAtMost(values, value)).toBe(values.filter((one) => one <= value).length);
      expect(lastIndexIn(values, value)).toBe(values.lastIndexOf(value));
    }),
  );
});
