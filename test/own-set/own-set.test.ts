/**
 * The own set is meaningful only if its golds are in its documents and keyword matching does not find them.
 * These tests do not run the engine, because the set was written without it.
 */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Bm25 } from "../../src/evaluate/bm25.js";

interface Question {
  id: string;
  kind: string;
  question: string;
}
interface Answerable extends Question {
  answers: string[];
  document: string;
}
interface Unanswerable extends Question {
  near: string;
}

const folder = new URL("./", import.meta.url);
const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, folder)), "utf8");
const lines = (name: string): unknown[] =>
  read(name)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

const texts = new Map(
  readdirSync(fileURLToPath(new URL("documents/", folder)))
    .sort()
    .map((name) => [name, read(`documents/${name}`)] as const),
);
const questions = lines("questions.jsonl") as Answerable[];
const unanswerable = lines("unanswerable.jsonl") as Unanswerable[];
const all: Question[] = [...questions, ...unanswerable];

/** Words as people count them, between white space. */
const wordCount = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
const repeated = (values: string[]): string[] => values.filter((value, at) => values.indexOf(value) !== at);
const countsOf = (names: string[]): Map<string, number> => {
  const counts = new Map([...texts.keys()].map((name) => [name, 0]));
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

describe("the own set's documents", () => {
  it("are 30 to 40 files of plain text in at least 7 kinds", () => {
    expect(texts.size).toBeGreaterThanOrEqual(30);
    expect(texts.size).toBeLessThanOrEqual(40);
    expect([...texts.keys()].filter((name) => !/\.(txt|md)$/.test(name))).toEqual([]);
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(7);
  });

  it("have 400 to 1,500 words each, no tabs, no carriage returns, no broken characters", () => {
    for (const [name, text] of texts) {
      expect(wordCount(text), name).toBeGreaterThanOrEqual(400);
      expect(wordCount(text), name).toBeLessThanOrEqual(1_500);
      expect(/[\r\t\uFEFF\uFFFD]/.test(text), name).toBe(false);
    }
  });

  it("belong to one kind each", () => {
    const kinds = new Map<string, Set<string>>();
    for (const { document, kind } of [
      ...questions,
      ...unanswerable.map(({ near, kind }) => ({ document: near, kind })),
    ])
      kinds.set(document, (kinds.get(document) ?? new Set()).add(kind));
    expect([...kinds].filter(([, of]) => of.size !== 1)).toEqual([]);
  });
});

describe("the own set's questions", () => {
  it("are enough, and each is asked once under an id of its own", () => {
    expect(questions.length).toBeGreaterThanOrEqual(180);
    expect(unanswerable.length).toBeGreaterThanOrEqual(120);
    expect(repeated(all.map(({ id }) => id))).toEqual([]);
    expect(repeated(all.map(({ question }) => question.toLowerCase()))).toEqual([]);
    expect(all.filter(({ question }) => question.trim() === "" || question !== question.trim())).toEqual([]);
  });

  it("have golds that are in their document letter for letter", () => {
    const missing = questions.flatMap(({ id, answers, document }) =>
      answers.filter((answer) => !texts.get(document)?.includes(answer)).map((answer) => `${id}: ${answer}`),
    );
    expect(missing).toEqual([]);
  });

  it("have golds of 1 to 12 words, none twice", () => {
    for (const { id, answers } of questions) {
      expect(answers.length, id).toBeGreaterThanOrEqual(1);
      expect(repeated(answers), id).toEqual([]);
      for (const answer of answers) {
        expect(answer, id).toBe(answer.trim());
        expect(wordCount(answer), id).toBeGreaterThanOrEqual(1);
        expect(wordCount(answer), id).toBeLessThanOrEqual(12);
      }
    }
  });

  it("are spread over all documents: at least 3 answerable and 3 unanswerable ones each", () => {
    for (const names of [questions.map(({ document }) => document), unanswerable.map(({ near }) => near)]) {
      const counts = countsOf(names);
      expect([...counts.keys()].filter((name) => !texts.has(name))).toEqual([]);
      for (const [name, count] of counts) expect(count, name).toBeGreaterThanOrEqual(3);
    }
  });

  it("are at most one in four answered by word match alone (BM25's first sentence holds a gold)", () => {
    const sentences = [...texts].flatMap(([document, text]) =>
      text
        .split(/\n\s*\n|\n(?=[-#|*\d])|(?<=[.!?])\s+/)
        .filter((sentence) => sentence.trim() !== "")
        .map((sentence) => ({ document, sentence: sentence.replace(/\s+/g, " ") })),
    );
    const bm25 = new Bm25(sentences.map(({ sentence }) => sentence));
    const matched = questions.filter(({ question, answers, document }) => {
      const scores = bm25.scores(question);
      const first = sentences[scores.indexOf(Math.max(...scores))];
      return first?.document === document && answers.some((answer) => first.sentence.includes(answer));
    });
    expect(matched.length / questions.length, matched.map(({ question }) => question).join("\n")).toBeLessThanOrEqual(
      0.25,
    );
  });
});

describe("the own set's rewritten questions", () => {
  const form = (name: string): Answerable[] => lines(`questions-${name}.jsonl`) as Answerable[];

  it.each(["long", "keywords", "typos"])("in the form '%s' differ from the originals only in the question", (name) => {
    expect(form(name).map((row) => ({ ...row, question: "" }))).toEqual(
      questions.map((row) => ({ ...row, question: "" })),
    );
    expect(repeated(form(name).map(({ question }) => question.toLowerCase()))).toEqual([]);
  });

  it("describe a situation before they ask, in the long form", () => {
    for (const { id, question } of form("long")) {
      expect(wordCount(question), id).toBeGreaterThanOrEqual(9);
      expect(question, id).toMatch(/[.:?,] .*\?$/);
    }
  });

  it("are 2 to 8 words without punctuation, in the keyword form", () => {
    for (const { id, question } of form("keywords")) {
      expect(wordCount(question), id).toBeGreaterThanOrEqual(2);
      expect(wordCount(question), id).toBeLessThanOrEqual(8);
      expect(question, id).not.toMatch(/[?,;:]|\.(?!\d)/);
    }
  });

  it("have one letter changed, dropped, doubled or swapped in one word, in the form with typing mistakes", () => {
    for (const [n, { id, question }] of form("typos").entries()) {
      const [mistyped, original] = [question.split(" "), questions[n]!.question.split(" ")];
      expect(mistyped.length, id).toBe(original.length);
      const changed = original.filter((word, at) => word !== mistyped[at]);
      expect(changed.length, id).toBe(1);
      const typed = mistyped.find((word, at) => word !== original[at])!;
      expect(isOneMistake(changed[0]!, typed), `${id}: ${changed[0]} → ${typed}`).toBe(true);
    }
  });
});

/** True if `b` is `a` with one character replaced, removed, inserted or swapped with its neighbour. */
function isOneMistake(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const restOf = (text: string, skipped: number): string => text.slice(start + skipped);
  const isSwap = a[start] === b[start + 1] && a[start + 1] === b[start] && restOf(a, 2) === restOf(b, 2);
  return isSwap || restOf(a, 1) === restOf(b, 1) || restOf(a, 1) === restOf(b, 0) || restOf(a, 0) === restOf(b, 1);
}
