import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exactMatch, normalizeAnswer } from "./exact-match.js";
import { f1 } from "./f1.js";
import { scoreSquad } from "./squad-score.js";

interface Golden {
  normalized: [string, string][];
  pairs: { prediction: string; golds: string[]; em: number; f1: number; f1v2: number }[];
}
const golden = JSON.parse(readFileSync(new URL("golden-squad.json", import.meta.url), "utf8")) as Golden;

describe("as SQuAD's official scripts in Python", () => {
  it("normalizeAnswer, on 500 odd strings", () => {
    expect(golden.normalized.length).toBe(500);
    for (const [text, normalized] of golden.normalized) {
      expect({ text, normalized: normalizeAnswer(text) }).toEqual({ text, normalized });
    }
  });

  it("exactMatch and f1", () => {
    for (const pair of golden.pairs) {
      const { prediction, golds } = pair;
      expect({ ...pair, em: exactMatch(prediction, golds) }).toEqual(pair);
      expect(f1(prediction, golds)).toBeCloseTo(pair.f1, 12);
      expect(f1(prediction, golds, { version: "2.0" })).toBeCloseTo(pair.f1v2, 12);
    }
  });
});

describe("scoreSquad", () => {
  const questions = [
    { id: "1", answers: ["the Cat", "a dog"] },
    { id: "2", answers: ["New York City"] },
    { id: "3", answers: [] },
    { id: "4", answers: ["."] },
    { id: "5", answers: ["Lund"] },
  ];
  const predictions = new Map([
    ["1", "dog"],
    ["2", "new york"],
    ["3", ""],
    ["4", "the"],
    ["other", "x"],
  ]);

  it("v1.1: a missing prediction is wrong, an answer without words has no F1", () => {
    const score = scoreSquad(questions, predictions);
    expect(score.missing).toEqual(["5"]);
    expect(score.questions).toBe(5);
    // 1 is right; 4 normalises to nothing as its gold does; 3 has no gold.
    expect(score.exactMatch).toBe(40);
    expect(score.f1).toBeCloseTo(100 * ((1 + 0.8) / 5), 12);
  });

  it.each(["en", "de", "zh", "ja", "ko"])("v2.0: no answer is right where there is none, in %s", (language) => {
    const asked = [
      { id: "none", answers: [] },
      { id: "some", answers: ["2031"] },
    ];
    const silent = new Map([
      ["none", ""],
      ["some", ""],
    ]);
    const score = scoreSquad(asked, silent, { version: "2.0", language });
    expect(score.perQuestion).toEqual([
      { id: "none", exactMatch: 1, f1: 1 },
      { id: "some", exactMatch: 0, f1: 0 },
    ]);
  });

  it("v2.0: an answer that other languages than English have no words for is dropped", () => {
    const asked = [{ id: "letter", answers: ["A"] }];
    const predictions = new Map([["letter", "A"]]);
    for (const language of ["de", "zh"])
      expect(scoreSquad(asked, predictions, { version: "2.0", language })).toMatchObject({ exactMatch: 100, f1: 100 });
  });

  it("v2.0: missing predictions are left out, no answer expects the empty string", () => {
    const score = scoreSquad(questions, predictions, { version: "2.0" });
    expect(score.questions).toBe(4);
    expect(score.exactMatch).toBe(75);
    expect(score.f1).toBeCloseTo(100 * ((1 + 0.8 + 1 + 1) / 4), 12);
    expect(scoreSquad([], predictions)).toMatchObject({ exactMatch: 0, f1: 0, questions: 0 });
  });
});
