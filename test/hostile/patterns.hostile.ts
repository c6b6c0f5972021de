/** Searches for inputs that a regular expression of the product needs more than linear time for. */

import { expect, it } from "vitest";
import { checkPattern, collectPatterns, SEARCHED } from "../patterns/patterns.js";

const { literals } = collectPatterns();

it.each(SEARCHED)("finds no input that is slow for %s", (pattern) => {
  const { status } = checkPattern(pattern);
  expect(status, literals.get(pattern)?.join(", ")).toBe("safe");
});
