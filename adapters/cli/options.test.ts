import { expect, it } from "vitest";
import { readingOf } from "./options.js";

it("--advanced readerPassages counts unless --reader-passages is given", () => {
  const advanced = { readerPassages: 7, readBelow: 0.5 };
  expect(readingOf({ advanced }).advanced).toEqual(advanced);
  expect(readingOf({ advanced, readerPassages: 9 }).advanced).toEqual({ ...advanced, readerPassages: 9 });
  expect(readingOf({}).advanced).toBeUndefined();
});
