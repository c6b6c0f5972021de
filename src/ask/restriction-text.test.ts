import { expect, it } from "vitest";
import { restrictionText } from "./restriction-text.js";

it.each([
  [{ phrases: ["a b"], excluded: [] }, "Only passages with “a b”."],
  [{ phrases: [], excluded: ["c", "d", "e"] }, "Only passages without “c”, “d” or “e”."],
  [{ phrases: ["a", "b"], excluded: ["c"] }, "Only passages with “a” and “b” and without “c”."],
  [
    { phrases: ["a", "b"], excluded: [], missing: ["b"] },
    "No passage contains “b”. Without the quotation marks, the words may be anywhere.",
  ],
  [
    { phrases: ["a"], excluded: ["c"], missing: [] },
    "There is no passage with “a” and without “c”. Leave out some of the quotation marks or an excluded word.",
  ],
  [{ phrases: [], excluded: ["c"], missing: [] }, "There is no passage without “c”. Leave out an excluded word."],
])("says what a question is restricted to: %j", (restriction, text) => {
  expect(restrictionText(restriction)).toBe(text);
});
