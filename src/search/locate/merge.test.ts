import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocatedSpan } from "./locate.js";
import { MAX_EVIDENCE, mergeSpans } from "./merge.js";
import { normalForm } from "./normal-form.js";

function located(id: string, text: string, options: { start: number; score: number; passage?: number }): LocatedSpan {
  const { start, score, passage = 0 } = options;
  return {
    span: {
      segment: 0,
      passage,
      startPosition: 0,
      endPosition: 0,
      score,
      parts: { dense: score, ngram: 0, terms: 0, tfidf: 0, vector: 0 },
      ids: new Uint16Array(0),
      firstToken: 0,
    },
    document: 0,
    record: {
      id,
      title: "",
      source: "",
      contentHash: "",
      length: 1000,
      passageCount: 1,
      map: { kind: "text", segments: [] },
      metadata: {},
    },
    start,
    end: start + text.length,
    text,
    passageStart: 0,
    passageEnd: 1000,
    passageText: text,
  };
}

describe("many places in one document", () => {
  it("are merged in less than quadratic time, each place once", () => {
    const scoreOf = (n: number): number => 1 + ((n * 7919) % 60_000);
    const spans = Array.from({ length: 60_000 }, (_, n) =>
      located("book", `w${n >> 1}`, { start: 20 * (n >> 1), score: scoreOf(n), passage: n }),
    );
    const started = process.cpuUsage();
    const answers = mergeSpans(spans);
    expect(process.cpuUsage(started).user).toBeLessThan(5e6);
    expect(answers).toHaveLength(30_000);
    for (const { best } of answers.slice(0, 100)) {
      const n = best.start / 10;
      expect(best.span.score).toBe(Math.max(scoreOf(n), scoreOf(n + 1)));
    }
  });
});

describe("mergeSpans", () => {
  it("counts a place found in two overlapping passages once, with the better score", () => {
    const merged = mergeSpans([
      located("a", "Ines Calder", { start: 10, score: 2, passage: 0 }),
      located("a", "Ines Calder", { start: 10, score: 3, passage: 1 }),
    ]);
    expect(merged).toHaveLength(1);
    expect(merged[0]!.best.span.score).toBe(3);
    expect(merged[0]!.evidence).toEqual([]);
  });

  it("drops what overlaps a better span of the same document, and only there", () => {
    const merged = mergeSpans([
      located("a", "Ines Calder", { start: 10, score: 3 }),
      located("a", "Calder in 1911", { start: 15, score: 2 }),
      located("b", "Calder in 1911", { start: 15, score: 1 }),
    ]);
    expect(merged.map(({ best }) => [best.record.id, best.text])).toEqual([
      ["a", "Ines Calder"],
      ["b", "Calder in 1911"],
    ]);
  });

  it("makes equal texts one answer with evidence, best first, at most ten", () => {
    const spans = Array.from({ length: 14 }, (_, n) =>
      located(`d${n + 10}`, n % 2 ? "the Thames" : "Thames.", { start: n, score: n }),
    );
    const merged = mergeSpans(spans);
    expect(merged).toHaveLength(1);
    expect(merged[0]!.best.record.id).toBe("d23");
    expect(merged[0]!.evidence.map((one) => one.record.id)).toEqual(
      Array.from({ length: MAX_EVIDENCE }, (_, n) => `d${22 - n}`),
    );
  });

  it("orders ties by document id, then start, then end", () => {
    const merged = mergeSpans([
      located("b", "one", { start: 0, score: 1 }),
      located("a", "two", { start: 9, score: 1 }),
      located("a", "three", { start: 3, score: 1 }),
    ]);
    expect(merged.map(({ best }) => best.text)).toEqual(["three", "two", "one"]);
  });
});

describe("normalForm", () => {
  it.each([
    ["The  Thames,", "thames"],
    ["ﬁsh & Chips", "fish chips"],
    ["an Éclair", "éclair"],
    ["théâtre", "théâtre"], // "the" is no word here
    ["1.5", "1.5"],
    ["15.", "15"],
    ["U.S.", "us"],
    ["The", "the"],
    ["the ", "the"],
    ["東京", "東京"],
    ["…", "…"],
  ])("of %j is %j", (text, expected) => {
    expect(normalForm(text)).toBe(expected);
  });

  it.each([
    ["3-5", "35"],
    ["3-5", "3 5"],
    ["C++", "C"],
    ["C#", "C"],
    ["A+", "A"],
    ["A-", "A"],
    ["O−", "O"],
    ["AA-", "AA"],
    ["-5 °C", "5 °C"],
    ["(-5)", "5"],
    ["1/12", "11/2"],
    ["50%", "$50"],
    ["50%", "50"],
    ["€50", "50"],
    ["-$5", "$5"],
    [".5", "5"],
    ["<5", ">5"],
    ["#5", "5"],
    ["18+", "18"],
    ["10:30", "1030"],
    ["1,5", "15"],
    ["1,5", "1/5"],
    ["12,30 €", "12:30 €"],
    ["1/5", "1 5"],
    ["5'10", "510"],
    ["10²", "102"],
    ["1½", "11/2"],
    ["Serie A", "Serie"],
    ["A-1", "1"],
    ["A-1", "-1"],
  ])("tells %j from %j", (a, b) => {
    expect(normalForm(a)).not.toBe(normalForm(b));
  });

  it.each([
    ["U.S.", "US"],
    ["e.g.", "eg"],
    ["O'Neill", "O’Neill"],
    ["O'Neill", "ONeill"],
    ["the 80's", "the 80s"],
    ["well-known", "well known"],
    ["and/or", "and or"],
    ["COVID-19", "Covid 19"],
    ["5-year", "5 year"],
    ["1,000,000", "1000000"],
    ["3-5", "3–5"],
    ["-5 °C", "−5 °C"],
    ["50%", "50 %"],
    ["$50", "$ 50"],
    ["1914-", "1914"],
    ["Thames -", "the Thames"],
    ["Thames–", "Thames"],
    ["- Thames", "Thames"],
    ["C++.", "C++"],
    ["50%.", "50%"],
    ["# Title", "Title"],
    ["(Ines Calder)", "Ines Calder"],
    ['the "Old" Mill', "Old Mill"],
    ["„Kaution“", "Kaution"],
    ["«caution»", "caution"],
    ["「保証金」。", "保証金"],
    ["1914/", "1914"],
    ["5, 6", "5 6"],
    ["2023/2024", "2023 / 2024"],
    ["1:100 é", "1 : 100 é"],
    ["‚Kaution‘", "Kaution"],
    ["5 km/h!", "5 km/h"],
  ])("takes %j and %j for the same", (a, b) => {
    expect(normalForm(a)).toBe(normalForm(b));
  });

  it("of ASCII is what the rules for all scripts give", () => {
    const words = fc.constantFrom(
      ..."The a an U.S. 1.5 15. .5 x_the (the) end. 's A-1 theory 1,000 C++ #5 50 <".split(" "),
      ..."- $ % + # > ' , . / 5 a-b".split(" "),
      "\t\n",
    );
    const texts = fc.oneof(
      fc.array(words).map((list) => list.join(" ")),
      fc.array(words).map((list) => list.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (!/^[\0-\x7f]*$/.test(text)) return;
        const together = normalForm(`é ${text}`); // one letter more, and it is not ASCII
        const alone = normalForm(text);
        expect(together).toBe(together === "é" ? "é" : `é ${alone}`);
      }),
      { numRuns: 500 },
    );
  });
});
