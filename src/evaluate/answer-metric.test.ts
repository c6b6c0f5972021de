import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { metricOf } from "./answer-metric.js";
import { cmrcSegments } from "./cmrc-score.js";
import { mlqaWords } from "./mlqa-score.js";
import { scoreSquad } from "./squad-score.js";

interface Pair {
  prediction: string;
  golds: string[];
  em: number;
  f1: number;
}
const golden = JSON.parse(readFileSync(new URL("golden-languages.json", import.meta.url), "utf8")) as {
  cmrc: (Pair & { segments: string[] })[];
  mlqa: (Pair & { language: string; normalized: string })[];
};

describe("answers in Chinese are scored as by CMRC 2018's script", () => {
  const { exactMatch, f1 } = metricOf("zh");

  it("finds the same segments, NLTK's words included", () => {
    expect(golden.cmrc.length).toBeGreaterThan(100);
    for (const { prediction, segments } of golden.cmrc) {
      expect({ prediction, segments: cmrcSegments(prediction) }).toEqual({ prediction, segments });
    }
  });

  it("gives the same exact match and F1", () => {
    for (const pair of golden.cmrc) {
      expect({ ...pair, em: exactMatch(pair.prediction, pair.golds) }).toEqual(pair);
      expect({ ...pair, f1: f1(pair.prediction, pair.golds) }).toEqual({ ...pair, f1: expect.closeTo(pair.f1, 12) });
    }
  });

  it("counts the longest common run, not the characters in common", () => {
    expect(f1("北海京", ["北京"])).toBeCloseTo(2 / 5, 12);
    expect(exactMatch("《北京》。", ["北京"])).toBe(1);
  });
});

describe("answers in other languages are scored as by MLQA's script", () => {
  it("removes punctuation and the language's articles", () => {
    for (const { language, prediction, normalized } of golden.mlqa) {
      const words = mlqaWords(prediction, language).join(" ");
      expect({ language, prediction, words }).toEqual({ language, prediction, words: normalized });
    }
  });

  it("gives the same exact match and F1", () => {
    for (const pair of golden.mlqa) {
      const { exactMatch, f1 } = metricOf(pair.language);
      // English is scored by SQuAD's script, which keeps punctuation beyond ASCII.
      if (pair.language === "en") continue;
      expect({ ...pair, em: exactMatch(pair.prediction, pair.golds) }).toEqual(pair);
      expect(f1(pair.prediction, pair.golds)).toBeCloseTo(pair.f1, 12);
    }
  });
});

describe("a text contains an answer", () => {
  it.each([
    ["en", "It cost 65 euros a key.", "65 Euros", true],
    ["en", "It cost 165 euros.", "65 euros", false],
    ["de", "Die Frist beträgt „vier Wochen“.", "die vier Wochen", true],
    ["de", "in vierzehn Tagen", "vier", false],
    ["zh", "押金为两个月的租金，共3200元。", "两个月的租金", true],
    ["ja", "家賃は毎月 25 日までに支払う。", "毎月25日", true],
    ["ko", "월요일에는 쉽니다.", "월요일", true],
    ["ko", "화요일에는 쉽니다.", "월요일", false],
    ["fr", "rien", "!", false],
  ])("%s: “%s” and “%s”: %s", (language, text, gold, isIn) => {
    expect(metricOf(language).isIn(text, ["☂", gold])).toBe(isIn);
  });
});

it("Japanese is compared by characters, and F1 of Korean counts them", () => {
  // five characters against three, which are all in the five: P = 3/5, R = 1
  expect(metricOf("ja").f1("毎週月曜日", ["月曜日"])).toBeCloseTo(0.75, 12);
  expect(metricOf("ja").exactMatch("東京 都", ["「東京都」"])).toBe(1);
  expect(metricOf("ko").f1("월요일에", ["월요일"])).toBeCloseTo(6 / 7, 12);
  expect(metricOf("ko").exactMatch("월요일에", ["월요일"])).toBe(0);
});

it("a set of predictions is scored in its language", () => {
  const questions = [
    { id: "1", answers: ["北京"] },
    { id: "2", answers: ["der Dom"] },
  ];
  const predictions = new Map([
    ["1", "北京市"],
    ["2", "Dom"],
  ]);
  expect(scoreSquad(questions, predictions, { language: "zh" })).toMatchObject({
    exactMatch: 0,
    f1: expect.closeTo(50 * (0.8 + 2 / 3), 9),
  });
  expect(scoreSquad(questions, predictions, { language: "de" })).toMatchObject({ exactMatch: 50, f1: 50 });
});
