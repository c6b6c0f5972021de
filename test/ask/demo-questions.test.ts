/**
 * What `npm run demo` promises, with the shipped model: its questions are answered, and the one that the samples do
 * not answer is noAnswer.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modelFolderFor } from "../../adapters/node/models/choice.js";
import { readModelFile } from "../../adapters/node/models/encoder/model-folder.js";
import { projectRoot, temporaryFolder, verbatim } from "../cli/run-cli.js";

describe("the shipped model", () => {
  it("is calibrated: nothing can lower a confidence but less of a figure", async () => {
    const { calibration } = await readModelFile(await modelFolderFor({ model: "en" }));
    expect(calibration!.threshold).toBeGreaterThan(0);
    expect(calibration!.threshold).toBeLessThan(1);
    for (const { scale, weight } of Object.values(calibration!.features)) {
      expect(scale).toBeGreaterThan(0);
      expect(weight).toBeGreaterThanOrEqual(0);
    }
  });

  it("answers the demo's questions and declines what the samples do not say", async () => {
    const demo = await readFile(join(projectRoot, "scripts", "demo.mjs"), "utf8");
    const [, list] = /const QUESTIONS = \[(.*?)\];/s.exec(demo)!;
    const questions = [...list!.matchAll(/"(.+?)"/g)].map(([, question]) => question!);
    const [, unanswerable] = /const UNANSWERABLE = "(.+?)"/.exec(demo)!;
    expect(questions.length).toBeGreaterThan(4);
    const setup = { cwd: await temporaryFolder(), env: { VERBATIM_MODEL: "" } };
    expect((await verbatim(["index", join(projectRoot, "samples"), "--quiet"], setup)).status).toBe(0);
    const ask = ["ask", "--json"]; // as the demo does: with the reader
    const stdin = `${[...questions, unanswerable].join("\n")}\n`;
    const { stdout, stderr } = await verbatim(ask, { ...setup, stdin });
    expect(stderr).toBe("");
    const results = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const { question, answers } of results.slice(0, -1)) expect(answers.length, question).toBeGreaterThan(0);
    const { answers, noAnswer, nearestPassages } = results.at(-1);
    expect(answers).toEqual([]);
    expect(noAnswer.confidence).toBeLessThan(noAnswer.minConfidence);
    expect(nearestPassages).toHaveLength(3);
  });
});
