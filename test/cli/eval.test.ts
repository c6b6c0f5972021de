/**
 * `verbatim eval …` on small files with known answers; the scorers themselves are tested in
 * src/evaluate.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliRun, temporaryFolder, verbatim } from "./run-cli.js";

const json = (run: CliRun): Record<string, unknown> => {
  expect(run.status, run.stderr).toBe(0);
  return JSON.parse(run.stdout) as Record<string, unknown>;
};

const CONTEXTS = [
  "The observatory was founded by Ines Calder in 1911. It opened to visitors in 1920.",
  "Close valve B before you remove the cover. The pressure must be below 2.5 bar.",
  "Black tea steeps for four minutes. Green tea wants two minutes.",
];

function squad(): string {
  const question = (id: string, text: string, context: number, answer: string) => ({
    id,
    question: text,
    answers: [{ text: answer, answer_start: CONTEXTS[context]!.indexOf(answer) }],
  });
  const paragraphs = [
    { context: CONTEXTS[0], qas: [question("a", "Who founded the observatory?", 0, "Ines Calder")] },
    { context: CONTEXTS[1], qas: [question("b", "Which valve do you close?", 1, "valve B")] },
    { context: CONTEXTS[2], qas: [question("c", "How long does black tea steep?", 2, "four minutes")] },
  ];
  return JSON.stringify({ version: "1.1", data: [{ title: "Small_things", paragraphs }] });
}

describe("eval squad", () => {
  it("has the documented keys, within their ranges", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dev.json"), squad());
    const result = json(await verbatim(["eval", "squad", "dev.json", "--json"], { cwd }));
    expect(result).toMatchObject({ questions: 3, missing: 0, rowsKept: 1, model: "tiny-random" });
    const dense = result.denseOnly as { exactMatch: number };
    for (const value of [result.exactMatch, result.f1, dense.exactMatch]) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(100);
    }
    expect(result.f1).toBeGreaterThanOrEqual(result.exactMatch as number);
  });

  it("scores 100 if the gold answer is the engine's answer", async () => {
    const cwd = await temporaryFolder();
    // a paragraph of one word, which every system answers
    const paragraphs = [
      { context: "Calder", qas: [{ id: "a", question: "Who?", answers: [{ text: "Calder", answer_start: 0 }] }] },
    ];
    await writeFile(join(cwd, "dev.json"), JSON.stringify({ version: "1.1", data: [{ title: "t", paragraphs }] }));
    expect(json(await verbatim(["eval", "squad", "dev.json", "--json"], { cwd }))).toMatchObject({
      exactMatch: 100,
      f1: 100,
      questions: 1,
    });
  });

  it("reports what is wrong with a file", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dev.json"), '{"data": 3}');
    for (const file of ["dev.json", "missing.json"]) {
      const { status, stderr } = await verbatim(["eval", "squad", file], { cwd });
      expect(status).toBe(3);
      expect(stderr).toContain(file);
    }
  });
});

it("eval squad --language compares answers as the language's scorer does", async () => {
  const cwd = await temporaryFolder();
  const paragraphs = [
    { context: "京", qas: [{ id: "a", question: "哪里？", answers: [{ text: "《京》", answer_start: 0 }] }] },
  ];
  await writeFile(join(cwd, "dev.json"), JSON.stringify({ data: [{ title: "t", paragraphs }] }));
  const run = (...flags: string[]) => verbatim(["eval", "squad", "dev.json", "--json", ...flags], { cwd });
  expect(json(await run("--language", "zh"))).toMatchObject({ exactMatch: 100, f1: 100 });
  expect(json(await run())).toMatchObject({ exactMatch: 0, f1: 0 });
  expect((await run("--language", "tlh")).status).toBe(2);
});

describe("eval reqa", () => {
  it("takes the sentences of a SQuAD file as candidates, and measures BM25 alone without a model", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dev.json"), squad());
    const alone = json(await verbatim(["eval", "reqa", "dev.json", "--bm25", "--json"], { cwd }));
    expect(alone).toEqual({
      bm25: { mrr: 1, recallAt1: 1, recallAt5: 1, recallAt10: 1 },
      questions: 3,
      candidates: 6,
      dropped: 0,
    });
    const both = json(await verbatim(["eval", "reqa", "dev.json", "--json"], { cwd }));
    expect(both).toMatchObject({ ...alone, candidatesInContext: 6 });
    const { alone: _alone, ...rest } = both as { alone: unknown };
    expect(json(await verbatim(["eval", "reqa", "dev.json", "--context-only", "--json"], { cwd }))).toEqual(rest);
    const few = json(await verbatim(["eval", "reqa", "dev.json", "--bm25", "--limit", "1", "--json"], { cwd }));
    expect(few).toMatchObject({ questions: 1, candidates: 2 });
  });

  it("ranks sentences alone and in context, and compares BM25", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dev.json"), squad());
    const candidates = CONTEXTS.flatMap((context) => context.split(/(?<=\.) /));
    const reqa = {
      questions: ["Who founded the observatory?", "How long does black tea steep?"],
      candidates,
      ground_truths: [[0], [4]],
    };
    await writeFile(join(cwd, "reqa.json"), JSON.stringify(reqa));
    const result = json(await verbatim(["eval", "reqa", "reqa.json", "--context", "dev.json", "--json"], { cwd }));
    expect(result).toMatchObject({ questions: 2, candidates: 6, candidatesInContext: 6, terms: "all" });
    expect(result.bm25).toEqual({ mrr: 1, recallAt1: 1, recallAt5: 1, recallAt10: 1 });
    expect(result.mrr).toBeGreaterThan(0);
    expect((result.inContext as { mrr: number }).mrr).toBe(result.mrr);

    const several = json(
      await verbatim(["eval", "reqa", "reqa.json", "--context", "dev.json", "--terms", "40000,1,5", "--json"], { cwd }),
    );
    const byTerms = several.byTerms as Record<string, { mrr: number; alone: unknown; inContext: unknown }>;
    expect(Object.keys(byTerms)).toEqual(["1", "5", "40000"]);
    expect(byTerms["40000"]).toEqual({
      ...(result.inContext as object),
      alone: result.alone,
      inContext: result.inContext,
    });
    expect(several).toMatchObject({ mrr: result.mrr, terms: "all" });
    const one = json(
      await verbatim(["eval", "reqa", "reqa.json", "--context", "dev.json", "--terms", "5", "--json"], { cwd }),
    );
    expect(one).toMatchObject({ terms: 5, mrr: byTerms["5"]!.mrr, inContext: byTerms["5"]!.inContext });
    expect(one.byTerms).toBeUndefined();
    expect((await verbatim(["eval", "reqa", "reqa.json", "--terms", "5,x"], { cwd })).status).toBe(2);
  });
});

it("eval names the folder of a missing index as the user wrote it", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "q.jsonl"), JSON.stringify({ question: "Who?", answers: ["Calder"], document: "a.txt" }));
  for (const command of ["open", "calibration"]) {
    const { status, stderr } = await verbatim(["eval", command, "q.jsonl", "--index", "no.index"], { cwd });
    expect(status).toBe(3);
    expect(stderr).toContain("no.index");
    expect(stderr).not.toContain(cwd);
  }
});

describe("eval open", () => {
  it("asks an index, recognises gold passages, and compares strategies question by question", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "dev.json"), squad());
    expect((await verbatim(["index", "dev.json", "--format", "squad", "--quiet"], { cwd })).status).toBe(0);
    const result = json(await verbatim(["eval", "open", "dev.json", "--compare", "exhaustive", "--json"], { cwd }));
    expect(result).toMatchObject({ strategy: "hybrid", questions: 3, documents: 3, passages: 3 });
    // all three passages are candidates, so the strategies cannot differ
    expect(result.compared).toMatchObject({ exactMatchDifference: 0, exactMatch: result.exactMatch });
    expect(result.passageRecallAt10).toBe(1);
    const one = ["eval", "open", "dev.json", "--strategy", "sparse-first", "--candidates", "1", "--json"];
    const few = json(await verbatim(one, { cwd }));
    expect(few.passageRecallAt50).toBe(few.passageRecallAt1); // one passage is looked at
    expect((await verbatim([...one, "--candidates", "0"], { cwd })).status).toBe(2);
    for (const key of ["answerRecallAt1", "answerRecallAt50", "f1", "msP50", "msP99"])
      expect(result[key]).toBeGreaterThanOrEqual(0);
  });

  it("a question that names its document has a right passage: one of that document with an answer in it", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "notes"));
    await writeFile(join(cwd, "notes", "a.txt"), "Calder founded the observatory.");
    await writeFile(join(cwd, "notes", "b.txt"), "Calder sailed to the observatory.");
    expect((await verbatim(["index", "notes", "--quiet"], { cwd })).status).toBe(0);
    const lines = [
      { question: "Who founded the observatory?", answers: ["calder"], document: "a.txt" },
      { question: "Where did Calder sail?", answers: ["to  the Observatory"], document: "notes/b.txt" },
      { question: "Where did Calder sail?", answers: ["to the observatory"], document: "notes/a.txt" },
    ];
    await writeFile(join(cwd, "q.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const result = json(await verbatim(["eval", "open", "q.jsonl", "--json"], { cwd }));
    expect(result.passageRecallAt20).toBeCloseTo(2 / 3, 9);
  });

  it("scores lines in their language, and looks for answers in the sentences shown", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "docs"));
    await writeFile(join(cwd, "docs", "de.txt"), "Die Kaution beträgt drei Mieten. Das Fahrrad gehört in den Keller.");
    await writeFile(join(cwd, "docs", "zh.txt"), "押金为两个月的租金。自行车停在地下室。");
    expect((await verbatim(["index", "docs", "--level", "lexical", "--quiet"], { cwd })).status).toBe(0);
    const lines = [
      { question: "Wie hoch ist die Kaution?", answers: ["die drei Mieten"], document: "de.txt", language: "de" },
      { question: "Wo steht das Fahrrad?", answers: ["im Hof"], document: "de.txt", language: "de" },
      { question: "押金是多少？", answers: ["《两个月》的租金"], document: "zh.txt", language: "zh" },
    ];
    await writeFile(join(cwd, "q.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const result = json(await verbatim(["eval", "open", "q.jsonl", "--reader", "off", "--json"], { cwd }));
    expect(result).toMatchObject({ strategy: "lexical", sentenceRecallAt1: expect.closeTo(2 / 3, 9), exactMatch: 0 });
    expect(result.byLanguage).toEqual({
      de: expect.objectContaining({ questions: 2, sentenceRecallAt1: 0.5, sentenceRecallAt3: 0.5 }),
      zh: expect.objectContaining({ questions: 1, sentenceRecallAt1: 1, answerRecallAt3: 0 }),
    });
    await writeFile(join(cwd, "q.jsonl"), JSON.stringify({ ...lines[0], language: "xx" }));
    const wrong = await verbatim(["eval", "open", "q.jsonl", "--json"], { cwd });
    expect(wrong.stderr).toContain("q.jsonl:1.language");
  });

  it("accepts CuratedTREC's expressions, anywhere and from the start", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "Calder");
    expect((await verbatim(["index", "a.txt", "--quiet"], { cwd })).status).toBe(0);
    const lines = [
      { id: "1", question: "Who?", answer_regex: "alder" },
      { id: "2", question: "Who?", answer_regex: "Cal.er" },
    ];
    await writeFile(join(cwd, "q.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    expect(json(await verbatim(["eval", "open", "q.jsonl", "--json"], { cwd }))).toMatchObject({
      exactMatch: 100,
      exactMatchStartAnchored: 50,
    });
  });
});
