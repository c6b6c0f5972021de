import { expect, it } from "vitest";
import { restrictionText } from "./restriction-text.js";

it.each([
  [{ phrases: ["a b"], excluded: [] }, "Only passages with “a b”."],
  [{ phrases: [], excluded: ["c", "d", "e"] }, "Only passages without “c”, “d” or “e”."],
  [{ phrases: ["a", "b"], excluded: ["c"] }, "Only passages with “a” and “b” and without “c”."],
  [
    { phrases: ["a", "b"], excluded: [], missing: ["b"] },
    "None of the searched passages contains “b”. Remove the quotation marks to find the words anywhere.",
  ],
  [
    { phrases: ["a"], excluded: ["c"], missing: [] },
    "There is no passage with “a” and without “c”. Remove some of the quotation marks or an excluded word.",
  ],
  [{ phrases: [], excluded: ["c"], missing: [] }, "There is no passage without “c”. Remove an excluded word."],
])("says what a question is restricted to: %j", (restriction, text) => {
  expect(restrictionText(restriction)).toBe(text);
});
