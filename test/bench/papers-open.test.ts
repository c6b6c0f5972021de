/** Open questions of the papers' tables: the ceiling, the draws and the scores. No model runs. */

import { describe, expect, it } from "vitest";
import { askOne } from "../../adapters/cli/eval/open.js";
import type { Io } from "../../adapters/cli/process-io.js";
import { AnswerCeiling } from "../../bench/papers/ceiling.js";
import type { PapersContext } from "../../bench/papers/context.js";
import {
  CORPUS_KEYS,
  engineCorpus,
  GROWING,
  isDrawn,
  isWithin,
  missingCorpus,
  openCorpus,
  sizesCorpus,
} from "../../bench/papers/corpora.js";
import { paragraphFigures } from "../../bench/papers/paragraph-ranks.js";
import { figuresOf, questionSet } from "../../bench/papers/systems.js";
import type { Index } from "../../src/api/index-handle.js";

describe("the ceiling of a corpus", () => {
  const lines = [
    { id: "1", question: "who?", answers: ["The Grand Duke", "his butler"] },
    { id: "2", question: "where?", answers: ["New York"] },
    { id: "3", question: "when?", answers: ["1999"] },
    { id: "4", question: "which?", answer_regex: "blue\\s+whales?" },
    { id: "5", question: "which?", answer_regex: "red\\s+whales?" },
  ];
  const { questions } = questionSet("set", lines.map((line) => JSON.stringify(line)).join("\n"), {});

  it("counts answers as exact match compares them, and expressions anywhere, within one paragraph", () => {
    const ceiling = new AnswerCeiling(questions);
    ceiling.add("It was a grand duke, they say.\nFrom New\nYork in 19991, with a Blue whale.");
    expect(ceiling.found).toEqual([true, false, false, true, false]);
    ceiling.add('"New York"');
    expect(ceiling.found).toEqual([true, true, false, true, false]);
  });
});

describe("a set of questions", () => {
  const text = Array.from({ length: 50 }, (_, n) => JSON.stringify({ id: n, question: "?", answers: ["a"] })).join(
    "\n",
  );

  it("says of how many a sample is drawn, and is the same every time", () => {
    const set = questionSet("set", text, { most: 40, sample: 5 });
    expect(set).toMatchObject({ name: "set", ofQuestions: 40 });
    expect(set.questions).toHaveLength(5);
    expect(questionSet("set", text, { most: 40, sample: 5 })).toEqual(set);
  });

  it("has at most the questions that are wanted over a whole corpus", () => {
    const set = questionSet("set", text, { most: 40, questions: 10 });
    expect(set).toMatchObject({ ofQuestions: 40 });
    expect(set.questions).toHaveLength(10);
    expect(questionSet("set", text, { most: 40, questions: 60 }).questions).toHaveLength(40);
  });

  it("is judged by both rules of CuratedTREC, and by exact match and F1 otherwise", () => {
    const measured = { model: "m", machine: "", date: "" };
    const byRule = figuresOf({ em: [1, 1], anchored: [1, 0], f1: [], ms: [1, 2], measured });
    expect(byRule.EM!.value).toBe(100);
    expect(byRule["EM, from the start"]!.value).toBe(50);
    expect(byRule).not.toHaveProperty("F1");
    const byAnswers = figuresOf({ em: [1, 0], anchored: [], f1: [1, 0.5], ms: [1, 2], measured });
    expect([byAnswers.EM!.value, byAnswers.F1!.value]).toEqual([50, 75]);
  });
});

describe("an answer to an open question", () => {
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    cwd: "",
    env: {},
    signal: new AbortController().signal,
  };
  /** Exact match, from the start, and F1 of one given answer. */
  const judged = async (gold: object, given: string | undefined) => {
    const answers =
      given === undefined ? [] : [{ text: given, score: 1, source: "s", context: given, documentId: "d" }];
    const index = { ask: async () => ({ answers, passages: [], tookMs: 1 }) } as unknown as Index;
    const { questions } = questionSet("set", JSON.stringify({ id: "1", question: "?", ...gold }), {});
    const how = { strategy: "hybrid", reader: "off" } as const;
    const outcome = await askOne(index, questions[0]!, { how, topK: 5, texts: undefined, io });
    return [outcome.exactMatch, outcome.startAnchored, Number(outcome.f1.toFixed(3))];
  };

  it.each([
    ["New York City", 1, 1],
    ["the city of NEW YORK", 1, 0],
    ["Newark", 0, 0],
    [undefined, 0, 0],
  ])("with an expression is right anywhere or only from the start: %s", async (given, anywhere, start) => {
    expect((await judged({ answer_regex: "New\\s?York" }, given)).slice(0, 2)).toEqual([anywhere, start]);
  });

  it.each([
    ["a butler", 1, 1],
    ["The grand duke!", 1, 1],
    ["grand old duke", 0, 0.8],
    ["old", 0, 0],
    [undefined, 0, 0],
  ])("with several right answers is compared with the best of them: %s", async (given, exact, f1) => {
    const golds = { answers: ["Grand Duke", "the butler"] };
    expect(await judged(golds, given)).toEqual([exact, undefined, f1]);
  });
});

describe("a drawn corpus", () => {
  const ids = Array.from({ length: 2000 }, (_, n) => `enwiki/${n}`);

  it("has about the share that was asked for, and is part of every larger one", () => {
    const small = ids.filter((id) => isDrawn(id, 0.1));
    expect(small.length).toBeGreaterThan(140);
    expect(small.length).toBeLessThan(260);
    expect(small.every((id) => isDrawn(id, 0.3))).toBe(true);
    expect(ids.filter((id) => isDrawn(id, 1))).toEqual(ids);
  });
});

describe("corpora", () => {
  it("are grown from a smaller one that is part of them", () => {
    for (const { key, sources, grownFrom } of [...GROWING, openCorpus(undefined)]) {
      for (const before of grownFrom?.sources ?? []) {
        const own = sources.find(({ file }) => file === before.file)!;
        expect(own.wanted ?? own.articles, key).toBeGreaterThanOrEqual(before.wanted ?? before.articles);
      }
    }
    expect(GROWING.filter(({ grownFrom }) => grownFrom === undefined).map(({ key }) => key)).toEqual([
      "simplewiki-5000",
      "enwiki",
    ]);
  });

  it("are those from the smallest to the largest that are wanted, or all", () => {
    const within = (limits: { smallest?: string; largest?: string }): string[] =>
      GROWING.filter((corpus) => isWithin(corpus, limits)).map(({ key }) => key);
    expect(within({ largest: "simplewiki-20000" })).toEqual(["simplewiki-5000", "simplewiki-20000"]);
    expect(within({ smallest: "simplewiki-110000" })).toEqual(["simplewiki-110000", "enwiki"]);
    expect(within({})).toEqual(CORPUS_KEYS.slice(0, -1));
    expect([openCorpus(undefined).key, openCorpus("simplewiki-20000").key]).toEqual(["wikipedia", "simplewiki-20000"]);
    expect([undefined, "enwiki", "simplewiki-5000"].map((largest) => engineCorpus(largest).key)).toEqual([
      "simplewiki-110000",
      "simplewiki-110000",
      "simplewiki-5000",
    ]);
    expect([undefined, "simplewiki-5000"].map((largest) => sizesCorpus(largest).key)).toEqual([
      "simplewiki-20000",
      "simplewiki-5000",
    ]);
  });
});

describe("a table over a smaller corpus", () => {
  it("names the corpus of a full run as missing, and nothing in a full run", () => {
    const over = (largest?: string): string[] =>
      missingCorpus(engineCorpus, { largest } as PapersContext).map(({ what }) => what);
    expect(over("simplewiki-5000")).toEqual([
      "the same over 110 k documents: Simple English Wikipedia, SQuAD dev paragraphs",
    ]);
    expect([over(), over("enwiki")]).toEqual([[], []]);
  });
});

describe("the rank of a question's paragraph", () => {
  it("counts as found up to the place that is asked, and never where there is none", () => {
    const figures = paragraphFigures([1, 10, 11, 0]);
    expect(Object.entries(figures).map(([name, { value }]) => [name, value])).toEqual([
      ["paragraph first", 25],
      ["among 10", 50],
      ["among 100", 75],
    ]);
  });
});
