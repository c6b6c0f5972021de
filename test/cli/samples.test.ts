import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "./run-cli.js";

interface SampleQuestion {
  question: string;
  answers: string[];
  document: string;
}

const folder = join(projectRoot, "samples");
const documents = readdirSync(folder).filter((name) => !name.startsWith(".") && name !== "questions.jsonl");
const questions = readFileSync(join(folder, "questions.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as SampleQuestion);

describe("samples/", () => {
  it("is small and has several formats", () => {
    expect(documents.length).toBeGreaterThanOrEqual(12);
    expect(new Set(documents.map((name) => extname(name)))).toEqual(new Set([".md", ".txt", ".html", ".csv"]));
    expect(documents.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThan(60_000);
  });

  it("contains every answer word for word", () => {
    expect(questions.length).toBeGreaterThanOrEqual(30);
    expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length);
    for (const { answers, document, question } of questions) {
      const text = readFileSync(join(folder, document), "utf8");
      expect(
        answers.filter((answer) => !text.includes(answer)),
        question,
      ).toEqual([]);
    }
  });
});
