import { describe, expect, it } from "vitest";
import type { VerbatimError } from "../errors.js";
import { checkInteger, checkOneOf, refuseOption } from "./check-option.js";

function errorOf(check: () => void): VerbatimError {
  try {
    check();
  } catch (error) {
    return error as VerbatimError;
  }
  throw new Error("nothing was thrown");
}

describe("checkOneOf", () => {
  it("accepts a listed value", () => {
    expect(() => checkOneOf("strategy", "hybrid", ["hybrid", "lexical"])).not.toThrow();
  });

  it("names the option, the list and the value that was found", () => {
    const error = errorOf(() => checkOneOf("strategy", "fast" as string, ["hybrid", "lexical"]));
    expect(error.code).toBe("invalid-argument");
    expect(error.message).toBe("strategy must be one of hybrid, lexical, not fast.");
    expect(error.hint).toBe("Set strategy to one of these: hybrid, lexical.");
    expect(error.where).toBe("strategy");
  });

  it("says 'one of' for a list with a single value, too", () => {
    expect(errorOf(() => checkOneOf("unit", "x" as string, ["passage"])).message).toContain("one of passage, not x");
  });
});

describe("refuseOption", () => {
  it("never reads the expected text as a list, however many commas it has", () => {
    const error = errorOf(() => refuseOption("readBelow", { expected: "a number from 0 to 1, or unset", found: 3 }));
    expect(error.message).toBe("readBelow must be a number from 0 to 1, or unset, not 3.");
    expect(error.hint).toBe("Set readBelow to a number from 0 to 1, or unset.");
  });
});

describe("checkInteger", () => {
  it("accepts both ends of the range and refuses the next values outside", () => {
    for (const value of [1, 64]) expect(() => checkInteger("n", value, { min: 1, max: 64 })).not.toThrow();
    for (const value of [0, 65, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(errorOf(() => checkInteger("n", value, { min: 1, max: 64 })).message).toBe(
        `n must be an integer from 1 to 64, not ${value}.`,
      );
    }
  });

  it("names only the lower end of a range without an upper one", () => {
    expect(errorOf(() => checkInteger("n", 0, { min: 1 })).message).toBe("n must be an integer ≥ 1, not 0.");
  });
});
