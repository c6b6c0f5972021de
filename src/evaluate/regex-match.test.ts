import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerPattern } from "./regex-match.js";

interface Golden {
  texts: string[];
  cases: [string, number[], number[]][];
  invalid: string[];
}
const golden = JSON.parse(readFileSync(new URL("golden-regex.json", import.meta.url), "utf8")) as Golden;
const { texts, cases, invalid } = golden;
const found = (matches: (text: string) => boolean): number[] => texts.flatMap((text, n) => (matches(text) ? [n] : []));

describe("answerPattern", () => {
  it.each(cases)("finds what Python finds: %s", (source, anywhere, start) => {
    const pattern = answerPattern(source);
    expect(found(pattern.matchesAnywhere)).toEqual(anywhere);
    expect(found(pattern.matchesStart)).toEqual(start);
  });

  it.each(invalid)("names an expression that does not compile: %s", (source) => {
    expect(() => answerPattern(source, "trec.jsonl:3.answer_regex")).toThrow(
      expect.objectContaining({ code: "invalid-argument", found: source, where: "trec.jsonl:3.answer_regex" }),
    );
  });
});
