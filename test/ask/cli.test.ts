/** The reader, confidence and declining through the command line, with the tiny models of the tests. */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerLines } from "../../adapters/cli/render/answers.js";
import type { AskResult } from "../../src/ask/result.js";
import type { Answer } from "../../src/search/types.js";
import { projectRoot, temporaryFolder, tinyModel, verbatim } from "../cli/run-cli.js";

const tinyReader = join(projectRoot, "test", "golden", "tiny-reader");
const TEXT = "The observatory was founded by Ines Calder in 1911.\nBlack tea steeps for 3 minutes.\n";
const QUESTION = "Who founded the observatory?";

interface Printed {
  answers: Array<Partial<Answer>>;
  noAnswer?: { confidence: number; minConfidence: number };
  nearestPassages?: Array<{ text: string; source: string; place: { line: number } }>;
  reading?: { passages: number; ended: string };
}

let original: string;
beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), "verbatim-ask-"));
  await writeFile(join(original, "notes.txt"), TEXT);
  expect((await verbatim(["index", "notes.txt", "--quiet"], { cwd: original })).status).toBe(0);
});
afterAll(() => rm(original, { recursive: true, force: true }));

/** A folder of its own with the index of TEXT. */
async function indexed(): Promise<string> {
  const cwd = await temporaryFolder();
  await cp(original, cwd, { recursive: true });
  return cwd;
}

/** The tiny model (or reader) with something else in its model.json. */
async function changed(from: string, to: string, more: object): Promise<string> {
  await mkdir(to, { recursive: true });
  await cp(from, to, { recursive: true });
  const info = JSON.parse(await readFile(join(to, "model.json"), "utf8"));
  await writeFile(join(to, "model.json"), JSON.stringify({ ...info, ...more }));
  return to;
}

const calibration = (intercept: number) => ({ intercept, features: {}, threshold: 0.5, about: {} });
const parsed = (stdout: string): Printed => JSON.parse(stdout) as Printed;

describe("ask --reader", () => {
  it("reads passages, reports how many, and answers with exact words of the file", async () => {
    const cwd = await indexed();
    const ask = ["ask", QUESTION, "--reader", "on", "--reader-model", tinyReader, "--json", "--explain"];
    for (const more of [[], ["--strategy", "sparta-reader"]]) {
      const { status, stdout, stderr } = await verbatim([...ask, ...more], { cwd });
      expect(stderr).toBe("");
      expect(status).toBe(0);
      const { answers, reading } = parsed(stdout);
      expect(reading).toMatchObject({ passages: 1, ended: "all" });
      for (const { text, start, end, parts } of answers) {
        expect(TEXT.slice(start, end)).toBe(text);
        expect(parts!.reader).toBeDefined();
      }
    }
    const lines = (await verbatim([...ask.filter((word) => word !== "--json")], { cwd })).stdout;
    expect(lines).toMatch(/reader \d/);
  });

  it("takes the reader from the environment, and none at all when it is off", async () => {
    const cwd = await indexed();
    const env = { VERBATIM_READER: tinyReader };
    const on = parsed((await verbatim(["ask", QUESTION, "--reader", "on", "--json"], { cwd, env })).stdout);
    expect(on.reading).toBeDefined();
    const off = parsed((await verbatim(["ask", QUESTION, "--reader", "off", "--json"], { cwd, env })).stdout);
    const plain = parsed((await verbatim(["ask", QUESTION, "--json"], { cwd })).stdout);
    expect(off.reading).toBeUndefined();
    expect(off.answers).toEqual(plain.answers);
    // an uncalibrated reader is not asked unless one says so
    expect(parsed((await verbatim(["ask", QUESTION, "--json"], { cwd, env })).stdout).reading).toBeUndefined();
  });

  it("says in one line what is wrong, and what to do", async () => {
    const cwd = await indexed();
    const cases: Array<[string[], number, RegExp]> = [
      [["--reader", "on", "--reader-model", "nowhere"], 3, /model\.json.*\n {2}hint: .*--reader off/],
      [["--reader", "auto", "--reader-model", tinyReader], 2, /needs calibrated models\.\n {2}hint: /],
      [["--reader", "perhaps"], 2, /off, auto, on/],
      [["--min-confidence", "1.5"], 2, /from 0 to 1/],
      [["--min-confidence", "0.5"], 2, /gives no confidence.*\n {2}hint: /],
      [["--budget-ms", "0"], 2, /whole number/],
      [["--reader-passages", "x"], 2, /whole number/],
      [["--strategy", "sparta-reader", "--reader", "off"], 2, /hint: Remove one/],
      [["--reader", "on", "--reader-model", tinyModel], 3, /not a reader/],
    ];
    for (const [args, expected, message] of cases) {
      const { status, stdout, stderr } = await verbatim(["ask", QUESTION, ...args], { cwd });
      expect(stderr, args.join(" ")).toMatch(message);
      expect(status, args.join(" ")).toBe(expected);
      expect(stdout).toBe("");
    }
  });
});

describe("ask --min-confidence", () => {
  it("declines what the model is not sure of, with the passages that come nearest, and status 1", async () => {
    const cwd = await indexed();
    const model = await changed(tinyModel, join(cwd, "model"), { calibration: calibration(-2) });
    const ask = (...more: string[]) => verbatim(["ask", QUESTION, "--model", model, ...more], { cwd });
    const text = await ask();
    expect(text.status).toBe(1);
    expect(text.stdout).toMatch(/^No answer: the best candidate is 12 % sure, below the minimum of 50 %\.\n/);
    expect(text.stdout).toContain("notes.txt:1  “The observatory was founded by Ines Calder in 1911.");
    const json = await ask("--json");
    expect(json.status).toBe(1);
    const { answers, noAnswer, nearestPassages } = parsed(json.stdout);
    expect(answers).toEqual([]);
    expect(noAnswer!.confidence).toBeCloseTo(1 / (1 + Math.exp(2)), 9);
    expect(noAnswer!.minConfidence).toBe(0.5);
    expect(TEXT).toContain(nearestPassages![0]!.text);
    expect(nearestPassages![0]!.place).toEqual({ line: 1 });
    for (const least of ["0", "0.1"]) {
      const given = await ask("--min-confidence", least);
      expect(given.status).toBe(0);
      expect(given.stdout).toContain("12 % sure");
    }
  });

  it("reads by itself when phrase search is unsure, once both models are calibrated", async () => {
    const cwd = await indexed();
    const model = await changed(tinyModel, join(cwd, "model"), { calibration: calibration(-2) });
    const reader = await changed(tinyReader, join(cwd, "reader"), { calibration: calibration(1), readBelow: 0.4 });
    const ask = ["ask", QUESTION, "--model", model, "--reader-model", reader, "--json"];
    const unsure = await verbatim(ask, { cwd });
    expect(unsure.status).toBe(0);
    expect(parsed(unsure.stdout).reading!.passages).toBe(1);
    expect(parsed(unsure.stdout).answers[0]!.confidence).toBeCloseTo(1 / (1 + Math.exp(-1)), 9);
    const content = await changed(reader, join(cwd, "content"), { readBelow: 0.1 });
    const sure = await verbatim([...ask, "--reader-model", content], { cwd }); // the last one counts
    expect(parsed(sure.stdout).reading).toBeUndefined();
  });

  it("shows no probability as certain or impossible", () => {
    const answer = (confidence: number): Answer =>
      ({
        text: "x",
        score: 1,
        confidence,
        context: "x",
        contextStart: 0,
        start: 0,
        end: 1,
        source: "a",
        place: {},
        evidence: [],
        alternatives: [],
      }) as unknown as Answer;
    const line = (confidence: number): string =>
      answerLines({ answers: [answer(confidence)] } as AskResult, {
        style: { bold: (s) => s, dim: (s) => s },
        explain: false,
      })[0]!;
    expect(line(0.001)).toContain("< 1 % sure");
    expect(line(0.9999)).toContain("> 99 % sure");
    expect(line(0.567)).toContain("57 % sure");
  });
});

describe("eval with a reader", () => {
  const squad = (version: string): object => ({
    version,
    data: [
      {
        title: "Tea",
        paragraphs: [
          {
            context: "Calder",
            qas: [
              { id: "a", question: "Who?", answers: [{ text: "Calder", answer_start: 0 }] },
              ...(version === "v2.0" ? [{ id: "b", question: "When?", answers: [], is_impossible: true }] : []),
            ],
          },
        ],
      },
      {
        title: "Long",
        // longer than one window: 3 × 400 words
        paragraphs: [
          {
            context: "black tea steeps ".repeat(400),
            qas: [{ id: "c", question: "What?", answers: [{ text: "tea", answer_start: 6 }] }],
          },
        ],
      },
    ],
  });

  it("squad: a paragraph of one word is answered with it, a long one is read in windows, 2.0 counts what has no answer", async () => {
    const cwd = await temporaryFolder();
    const args = ["--reader", "on", "--reader-model", tinyReader, "--json"];
    await writeFile(join(cwd, "one.json"), JSON.stringify(squad("1.1")));
    const one = JSON.parse((await verbatim(["eval", "squad", "one.json", ...args], { cwd })).stdout);
    expect(one).toMatchObject({ questions: 2, windowedParagraphs: 1, reader: "tiny-random-reader" });
    expect(one.exactMatch).toBeGreaterThanOrEqual(50);
    await writeFile(join(cwd, "two.json"), JSON.stringify(squad("v2.0")));
    const two = JSON.parse((await verbatim(["eval", "squad", "two.json", ...args], { cwd })).stdout);
    expect(two.questions).toBe(3);
    expect(two.aurocAnswerable).toBeGreaterThanOrEqual(0);
    expect((await verbatim(["eval", "squad", "one.json", "--stored", ...args], { cwd })).status).toBe(2);
    expect((await verbatim(["eval", "squad", "one.json", "--reader", "auto"], { cwd })).status).toBe(2);
  });

  it("open: the reader against phrase search in one run, and the reader alone", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "Calder");
    expect((await verbatim(["index", "a.txt", "--quiet"], { cwd })).status).toBe(0);
    await writeFile(join(cwd, "q.jsonl"), '{"id": "1", "question": "Who is Calder?", "answers": ["calder"]}\n');
    const args = ["eval", "open", "q.jsonl", "--reader-model", tinyReader, "--json"];
    const run = JSON.parse((await verbatim([...args, "--reader", "on", "--compare", "hybrid"], { cwd })).stdout);
    expect(run).toMatchObject({ exactMatch: 100, reader: "on", readShare: 1, passagesRead: 1 });
    expect(run.compared).toMatchObject({ strategy: "hybrid", exactMatch: 100 });
    expect(run.compared.readShare).toBeUndefined();
    // without --reader as `ask` does: here off, because the models are not calibrated
    expect(JSON.parse((await verbatim(args, { cwd })).stdout).reader).toBe("off");
    const alone = JSON.parse((await verbatim([...args, "--strategy", "sparta-reader"], { cwd })).stdout);
    expect(alone).toMatchObject({ strategy: "sparta-reader", exactMatch: 100, readShare: 1 });
  });

  it("calibration: own article hidden is unanswerable; unanswerable lines need no answers", async () => {
    const cwd = await temporaryFolder();
    const model = await changed(tinyModel, join(cwd, "model"), { calibration: calibration(0) });
    await writeFile(join(cwd, "dev.json"), JSON.stringify(squad("1.1")));
    expect((await verbatim(["index", "dev.json", "--format", "squad", "--quiet"], { cwd })).status).toBe(0);
    const args = ["eval", "calibration", "dev.json", "--model", model, "--json"];
    const result = JSON.parse((await verbatim(args, { cwd })).stdout);
    // every answer is half sure, none is right without its article
    expect(result).toMatchObject({
      answerable: 2,
      unanswerable: 2,
      aurocAnswerable: 0.5,
      thresholds: { phraseSearch: 0.5 },
      abstainedOfUnanswerable: 0,
    });
    expect(result.expectedCalibrationError).toBeCloseTo(Math.abs(0.5 - (2 * result.rightShare) / 4), 9);
    // of four answers, none to four are right by chance: 0.5 off with 2/16, 0.25 off with 8/16
    expect(result.expectedCalibrationErrorByChance.mean).toBeCloseTo(0.1875, 1);
    expect(result.expectedCalibrationErrorByChance.high).toBe(0.5);
    expect(result.reliability).toHaveLength(15);
    // without its own passage a question is asked of the article's others, and may still be right there
    const near = JSON.parse((await verbatim([...args, "--hide", "passage"], { cwd })).stdout);
    expect(near).toMatchObject({ answerable: 2, unanswerable: 2, rightShare: result.rightShare });
    await writeFile(join(cwd, "none.jsonl"), '{"id": "u", "question": "Who painted it?"}\n');
    const other = JSON.parse((await verbatim([...args, "--unanswerable", "none.jsonl"], { cwd })).stdout);
    expect(other).toMatchObject({ answerable: 2, unanswerable: 1 });
    const { status, stderr } = await verbatim(["eval", "calibration", "dev.json"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("not calibrated");
    await writeFile(join(cwd, "q.jsonl"), '{"question": "Who?", "answers": ["x"]}\n');
    expect((await verbatim(["eval", "calibration", "q.jsonl", "--model", model], { cwd })).stderr).toContain(
      "--unanswerable",
    );
  });

  it("calibration with --reader auto judges a question by the threshold that ask uses for it", async () => {
    const cwd = await temporaryFolder();
    const unsure = { ...calibration(-2), threshold: 0.9 };
    const model = await changed(tinyModel, join(cwd, "model"), { calibration: unsure });
    const reader = await changed(tinyReader, join(cwd, "reader"), { calibration: calibration(1), readBelow: 0.4 });
    await writeFile(join(cwd, "dev.json"), JSON.stringify(squad("1.1")));
    expect((await verbatim(["index", "dev.json", "--format", "squad", "--quiet"], { cwd })).status).toBe(0);
    const networks = ["--model", model, "--reader-model", reader, "--reader", "auto", "--json"];
    // phrase search is 12 % sure, so the reader reads; it is 73 % sure: above its own threshold, below the encoder's
    const asked = await verbatim(["ask", "Who founded the observatory?", ...networks], { cwd });
    expect(asked.status).toBe(0);
    const result = JSON.parse((await verbatim(["eval", "calibration", "dev.json", ...networks], { cwd })).stdout);
    expect(result).toMatchObject({ thresholds: { reader: 0.5 }, abstainedOfUnanswerable: 0, abstainedOfRight: 0 });
    const never = await changed(reader, join(cwd, "never"), { calibration: { ...calibration(1), threshold: 0.8 } });
    const strict = networks.map((word) => (word === reader ? never : word));
    expect((await verbatim(["ask", "Who founded the observatory?", ...strict], { cwd })).status).toBe(1);
    const abstained = JSON.parse((await verbatim(["eval", "calibration", "dev.json", ...strict], { cwd })).stdout);
    expect(abstained).toMatchObject({ thresholds: { reader: 0.8 }, abstainedOfUnanswerable: 1 });
  });
});
