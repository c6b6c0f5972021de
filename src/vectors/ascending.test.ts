import fc from "fast-check";
import { expect, it } from "vitest";
import { countAtMost, indexIn, lastIndexIn } from "./ascending.js";

it("countAtMost and lastIndexIn agree with a look at every value", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (numbers, value) => {
      const values = numbers.sort((a, b) => a - b);
      expect(countAtMost(values, value)).toBe(values.filter((one) => one <= value).length);
      expect(lastIndexIn(values, value)).toBe(values.lastIndexOf(value));
    }),
  );
});

it("indexIn agrees with a look at every value", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 99 })), fc.integer({ min: 0, max: 99 }), (numbers, value) => {
      const values = numbers.sort((a, b) => a - b);
      expect(indexIn(Uint32Array.from(values), value)).toBe(values.indexOf(value));
      expect(indexIn(Uint16Array.from(values), value)).toBe(values.indexOf(value));
    }),
  );
});
