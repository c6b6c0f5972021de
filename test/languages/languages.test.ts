/** The questions in thirteen languages are sound, and level `lexical` finds their sentences in each of them. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ANSWER_LANGUAGES } from "../../src/evaluate/answer-languages.js";
import { metricOf } from "../../src/evaluate/answer-metric.js";
import { splitSentences } from "../../src/text/sentences.js";
import { temporaryFolder, verbatim } from "../cli/run-cli.js";

interface Question {
  id: string;
  /** The language of the document and its answers. */
  language: string;
  question: string;
  answers: string[];
  document: string;
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const read = (name: string): string => readFileSync(path(name), "utf8");
const questionsOf = <T extends Question>(name: string): T[] =>
  read(name)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
const questions = questionsOf("questions.jsonl");
const documents = readdirSync(path("documents")).sort();

describe("the questions in thirteen languages", () => {
  it("are ten for each language, over two documents", () => {
    for (const language of ANSWER_LANGUAGES) {
      const own = questions.filter((question) => question.language === language);
      expect(own.length, language).toBe(10);
      const named = [...new Set(own.map(({ document }) => document))].sort();
      expect(named, language).toEqual(documents.filter((name) => name.startsWith(`${language}-`)));
      expect(named, language).toHaveLength(2);
    }
    expect(new Set(questions.map(({ id }) => id)).size).toBe(130);
    expect(documents).toHaveLength(26);
  });

  it("have golds that are in their document word for word, all in one of its sentences", () => {
    for (const { id, language, answers, document } of questions) {
      const text = read(`documents/${document}`);
      const plain = text.replace(/\s+/g, " ");
      expect(
        answers.filter((answer) => !plain.includes(answer)),
        id,
      ).toEqual([]);
      const { isIn } = metricOf(language);
      const holding = splitSentences(text).filter(({ start, end }) => isIn(text.slice(start, end), answers));
      expect(holding, id).toHaveLength(1);
    }
  });
});

it("the questions in another language than their document's have the answers of one in its own", () => {
  const across = questionsOf<Question & { asked: string }>("across.jsonl");
  expect(across.length).toBe(70);
  expect(new Set(across.map(({ id }) => id)).size).toBe(70);
  for (const { id, language, asked, question, answers, document } of across) {
    const own = questions.find((one) => id === `${one.id}-${asked}`);
    expect({ language, answers, document }, id).toEqual({
      language: own?.language,
      answers: own?.answers,
      document: own?.document,
    });
    expect(asked, id).not.toBe(language);
    expect(question, id).not.toBe(own?.question);
  }
  for (const document of documents) expect(across.map((one) => one.document)).toContain(document);
});

it("level lexical shows the right sentence among the first three for two of three questions", async () => {
  const cwd = await temporaryFolder();
  const indexed = await verbatim(["index", path("documents"), "--level", "lexical", "--quiet"], { cwd });
  expect(indexed.status, indexed.stderr).toBe(0);
  const run = await verbatim(["eval", "open", path("questions.jsonl"), "--reader", "off", "--json"], { cwd });
  expect(run.status, run.stderr).toBe(0);
  const result = JSON.parse(run.stdout) as {
    sentenceRecallAt3: number;
    byLanguage: Record<string, { sentenceRecallAt3: number }>;
  };
  expect(result.sentenceRecallAt3).toBeGreaterThanOrEqual(0.67);
  for (const [language, { sentenceRecallAt3 }] of Object.entries(result.byLanguage)) {
    expect(sentenceRecallAt3, language).toBeGreaterThanOrEqual(0.4);
  }
}, 300_000);
