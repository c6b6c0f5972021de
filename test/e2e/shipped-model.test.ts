/**
 * The model that ships, on the samples: what README shows is what the program says, and most questions find their
 * answer.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Index, indexPaths, openIndex } from "../../adapters/node/index.js";
import { exactMatch } from "../../src/evaluate/exact-match.js";
import { projectRoot, verbatim } from "../cli/run-cli.js";

interface SampleQuestion {
  question: string;
  answers: string[];
}

const hasModel = existsSync(join(projectRoot, "models", "verbatim-en", "model.json"));

describe.skipIf(!hasModel)("the shipped model on samples/", () => {
  let folder: string;
  let index: Index;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "verbatim-shipped-"));
    const path = join(folder, "index");
    await indexPaths(["samples"], { index: path, cwd: projectRoot });
    index = await openIndex({ path });
  });
  afterAll(async () => {
    await index?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("answers the three questions of README as README says", async () => {
    const readme = readFileSync(join(projectRoot, "README.md"), "utf8");
    const shown = [
      ...readme.matchAll(
        /^\$ \.\/verbatim ask "([^"]+)" --top-k 1\n( {2}1 {2}.+?) {2}score +\S+ {2}\d+ % sure {2}(\S+) /gm,
      ),
    ];
    expect(shown).toHaveLength(3);
    for (const [, question, words, place] of shown) {
      const args = ["ask", question!, "--top-k", "1", "--index", join(folder, "index")];
      const { stdout } = await verbatim(args, { cwd: projectRoot, env: { VERBATIM_MODEL: "" } });
      const [, said, where] = stdout.match(/^(.+?) {2}score +\S+ {2}\d+ % sure {2}(\S+) /) ?? [];
      expect([said, where]).toEqual([words, place]);
    }
  });

  it("finds most answers: two of three first, three of four among the first five", async () => {
    const lines = readFileSync(join(projectRoot, "samples", "questions.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    let first = 0;
    let firstFive = 0;
    for (const line of lines) {
      const { question, answers } = JSON.parse(line) as SampleQuestion;
      const matches = (await index.ask(question)).answers.map(({ text }) => exactMatch(text, answers));
      first += matches[0] ?? 0;
      firstFive += Math.max(0, ...matches);
    }
    expect(first / lines.length).toBeGreaterThan(0.66);
    expect(firstFive / lines.length).toBeGreaterThan(0.75);
  });
});
