import { describe, expect, it } from "vitest";
import { Bm25 } from "./bm25.js";

const texts = [
  "The cat sat on the mat.",
  "A dog and a cat played.",
  "Dogs bark.",
  "The observatory was founded by Ines Calder in 1911, after the old observatory had burnt.",
  "",
];

describe("Bm25", () => {
  it("gives the score of the formula", () => {
    const bm25 = new Bm25(texts);
    const lengths = [6, 6, 2, 15, 0];
    const average = lengths.reduce((sum, length) => sum + length, 0) / 5;
    const term = (documents: number, frequency: number, length: number): number =>
      (Math.log(1 + (5 - documents + 0.5) / (documents + 0.5)) * frequency) /
      (frequency + 0.9 * (1 - 0.4 + (0.4 * length) / average));
    const scores = bm25.scores("the CAT, the dog?");
    expect(scores[0]).toBeCloseTo(2 * term(2, 2, 6) + term(2, 1, 6), 12);
    expect(scores[1]).toBeCloseTo(term(2, 1, 6) + term(1, 1, 6), 12);
    expect(scores[2]).toBe(0);
    expect(scores[3]).toBeCloseTo(2 * term(2, 2, 15), 12);
  });

  it("finds the best first and leaves out what shares no word", () => {
    const bm25 = new Bm25(texts);
    expect(bm25.search("who founded the observatory?", 2).map(({ document }) => document)).toEqual([3, 0]);
    expect(bm25.search("zebra", 5)).toEqual([]);
    expect(new Bm25([]).search("cat", 5)).toEqual([]);
    expect(new Bm25(["", ""]).search("cat", 5)).toEqual([]);
    expect(new Bm25(["b a", "a b", "a c"]).search("a b", 3).map(({ document }) => document)).toEqual([0, 1, 2]);
  });

  it("knows a word in every document, which idf's other form would not", () => {
    expect(new Bm25(["cat", "cat dog"]).scores("cat").every((score) => score > 0)).toBe(true);
  });
});
