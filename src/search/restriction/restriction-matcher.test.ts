import { describe, expect, it } from "vitest";
import { RestrictionMatcher } from "./restriction-matcher.js";

const accepts = (text: string, phrases: string[], excluded: string[] = []): boolean =>
  new RestrictionMatcher({ phrases, excluded }).accepts(text);

describe("RestrictionMatcher", () => {
  it("wants whole words", () => {
    expect(accepts("The red barns are old.", ["red barn"])).toBe(false);
    expect(accepts("The Red Barn is old.", ["red barn"])).toBe(true);
    expect(accepts("The red barns are old.", [], ["red barn"])).toBe(true);
  });

  it("takes a Korean word with a particle for the word, but not the end of another word", () => {
    const text = "관측소는 1911년에 이네스 칼더가 설립하였다.";
    expect(accepts(text, ["관측소"])).toBe(true);
    expect(accepts(text, [], ["관측소"])).toBe(false);
    expect(accepts(text, ["측소"])).toBe(false);
  });
});
