/** Levels on the command line: index, ask, info, upgrade, and commands that need a higher level. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { publishSite } from "../../adapters/node/publish/publish-site.js";
import { held } from "./held.js";
import { type CliRun, temporaryFolder, tinyModel, verbatim, withoutProgress } from "./run-cli.js";

const TEXTS: Record<string, string> = {
  "bell.txt": "The bell of the harbour rings at noon. It was cast in 1911.",
  "pump.txt": "The pump stops at four bar. Its filter is changed in spring.",
  "mill.txt": "The mill was sold to Ada Brown. She ground rye and barley.",
};
const FILES = Object.keys(TEXTS);

let cwd: string;
const run = (...args: string[]): Promise<CliRun> => verbatim(args, { cwd });
const json = ({ stdout }: CliRun): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;
const info = async (index: string) => json(await run("info", "--index", index, "--json"));
const ask = async (question: string, index: string, ...more: string[]) =>
  json(await run("ask", question, "--index", index, "--json", "--reader", "off", "--min-confidence", "0", ...more));

beforeEach(async () => {
  cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(TEXTS)) await writeFile(join(cwd, name), text);
});

describe("an index of level lexical", () => {
  it("answers with sentences and says so; upgrade raises the level without loss", async () => {
    const made = await run("index", ...FILES, "--index", "i", "--level", "lexical");
    expect(made.stdout).toMatch(
      /^Indexed 3 documents, 3 passages in .*\ni now holds 3 documents, 3 passages, \S+ .B, level/,
    );
    expect(made.stdout).toMatch(/level lexical, model tiny-random\.\n$/);
    expect(await info("i")).toMatchObject({ level: "lexical", levels: { lexical: 3 }, phrases: 0 });
    const found = await ask("when does the pump stop?", "i");
    expect(found).toMatchObject({ strategy: "lexical", level: "lexical", kind: "sentences" });
    expect((found.answers as Array<{ text: string }>)[0]?.text).toBe("The pump stops at four bar.");
    const printed = await run("ask", "when does the pump stop?", "--index", "i", "--reader", "off", "--explain");
    expect(printed.stdout).toMatch(/BM25 \d+\.\d+ \+ sentence \d+\.\d+ = /);
    expect(printed.stdout).toContain(
      "Whole sentences, found by keywords only (level lexical). For exact answers, install a reader or run verbatim upgrade.\n",
    );
    expect((await run("check", "--index", "i")).status).toBe(0);
    expect((await run("compact", "--full", "--index", "i")).status).toBe(0);
    expect((await run("snapshot", "copy", "--index", "i")).status).toBe(0);

    const before = await held(join(cwd, "i"));
    const raised = await run("upgrade", "--index", "i");
    expect([raised.status, withoutProgress(raised.stderr)]).toEqual([0, ""]);
    expect(raised.stdout).toMatch(/^Raised 3 documents, 3 passages to level full in .* tokens\/s\)\.\ni now takes /);
    expect(await held(join(cwd, "i"))).toEqual(before);
    expect(await info("i")).toMatchObject({ level: "full", levels: { full: 3 } });
    await run("index", ...FILES, "--index", "rebuilt", "--quiet");
    const question = "who bought the mill?";
    const answered = await ask(question, "i");
    expect(answered).toMatchObject({ strategy: "hybrid", level: "full", kind: "spans" });
    const { answers } = await ask(question, "rebuilt");
    expect(answered.answers).toEqual(answers);
    expect((await run("upgrade", "--index", "i")).stdout).toBe("i already has level full.\n");
    const copied = await run("upgrade", "--index", "copy", "--json");
    expect(json(copied)).toMatchObject({ index: "copy", documents: 3, passages: 3, stopped: false, level: "full" });
  });

  it("is refused with a hint if a higher level is needed", async () => {
    await run("index", ...FILES, "--index", "i", "--level", "lexical", "--quiet");
    for (const [args, message] of [
      [["index", "bell.txt", "--index", "i", "--level", "full"], /verbatim upgrade --level full/],
      [["ask", "bell?", "--index", "i", "--strategy", "dense-first"], /verbatim upgrade --level full/],
      [["index", "bell.txt", "--index", "i", "--level", "odd"], /lexical, thin, full/],
      [["index", "bell.txt", "--index", "i", "--lexical-first", "--level", "lexical"], /Remove one of the two/],
      [["index", "bell.txt", "--index", "new", "--level", "full", "--thin-terms", "9"], /--level thin/],
    ] as const) {
      const { status, stderr } = await run(...args);
      expect([args[0], status]).toEqual([args[0], 2]);
      expect(stderr).toMatch(message);
    }
    const publish = { index: join(cwd, "i"), out: join(cwd, "site"), modelFolder: tinyModel };
    await expect(publishSite({ ...publish, level: "full" })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringMatching(/^Run verbatim upgrade --level full --index .* first\.$/),
    });
    await run("index", ...FILES, "--index", "my docs", "--level", "lexical", "--quiet");
    const spaced = await run("publish", "--index", "my docs", "--out", "site");
    expect(spaced.stderr).toMatch(/hint: Run verbatim upgrade --level full --index '.+\/my docs' first\.\n$/);
    await expect(publishSite({ ...publish, level: "terms" })).rejects.toMatchObject({ expected: "thin" });
  });
});

describe("an index of level thin", () => {
  it("gives the answers of level full, reports what it encoded, and is smaller", async () => {
    const made = await run("index", ...FILES, "--index", "thin", "--level", "thin", "--thin-terms", "20");
    expect(made.stdout).toContain("level thin");
    expect(made.stdout).not.toContain("phrase"); // encoded, but not stored
    await run("index", ...FILES, "--index", "full", "--quiet");
    const lowered = await run("index", "bell.txt", "--index", "full", "--level", "thin");
    expect(lowered.stderr).toContain("hint: Omit --level. A level cannot be lowered; for a smaller index, build a new");
    for (const question of ["when does the pump stop?", "who bought the mill?", "when was the bell cast?"]) {
      const { answers: expected } = await ask(question, "full", "--strategy", "sparse-first");
      const { answers, level, encodedPassages } = await ask(question, "thin", "--advanced", "maxEncodedPassages=20");
      expect(answers).toEqual(expected);
      expect(level).toBe("thin");
      expect(encodedPassages).toBeGreaterThan(0);
    }
    const [thin, full] = [await info("thin"), await info("full")];
    expect(thin.bytes).toBeLessThan(full.bytes as number);
    expect(Object.keys(thin.componentBytes as object)).toEqual([
      "documents",
      "text",
      "passages",
      "vectors",
      "terms",
      "tfidf",
    ]);
    const printed = await run("info", "--index", "thin");
    expect(printed.stdout).toMatch(/^level {8} thin$/m);
    expect(printed.stdout).toMatch(/^ {2}terms .* × the text$/m);
  });
});

describe("index --lexical-first", () => {
  it("results in the same index as without it", async () => {
    const first = await run("index", ...FILES, "--index", "first", "--lexical-first");
    expect([first.status, withoutProgress(first.stderr)]).toEqual([0, ""]);
    await run("index", ...FILES, "--index", "plain", "--quiet");
    expect(await held(join(cwd, "first"))).toEqual(await held(join(cwd, "plain")));
    expect(await info("first")).toMatchObject({ level: "full", levels: { full: 3 } });
    await writeFile(join(cwd, "pump.txt"), "The pump stops at five bar.");
    expect((await run("index", ...FILES, "--index", "first", "--lexical-first", "--json")).status).toBe(0);
    expect(await info("first")).toMatchObject({ documents: 3, levels: { full: 3 } });
    expect((await held(join(cwd, "first")))["pump.txt"]?.text).toBe("The pump stops at five bar.");
  });
});
