/**
 * `ask --questions FILE --out FILE`: order, ids, resuming after an interruption, and usage errors.
 */

import { existsSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { askBatch, parseQuestions } from "../../adapters/cli/commands/ask-batch.js";
import { takeLockAt } from "../../adapters/node/storage/lock-file.js";
import type { Index } from "../../src/api/index-handle.js";
import { throwIfAborted } from "../../src/errors.js";
import { verbatim as run, temporaryFolder } from "./run-cli.js";

const TEXT = "The mill was built by Ines Calder in 1911.\nThe tower was painted by Otto Brandt.\n";
const QUESTIONS = [
  "who built the mill?",
  '{"id": "tower", "question": "who painted the tower?"}',
  "",
  "when was the mill built?",
];
const IDS = ["1", "tower", "4"];

async function prepared() {
  const cwd = await temporaryFolder();
  const verbatim = (args: string[]): ReturnType<typeof run> => run(args, { cwd });
  await writeFile(join(cwd, "notes.txt"), TEXT);
  await writeFile(join(cwd, "q.txt"), QUESTIONS.join("\n"));
  expect((await verbatim(["index", "notes.txt", "--quiet"])).status).toBe(0);
  const lines = async (name: string) =>
    (await readFile(join(cwd, name), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { cwd, verbatim, lines };
}

const SILENT = { write: () => true };

/** Leaves the partial output of a run of BATCH that was stopped after its first line. */
async function interrupted(cwd: string): Promise<void> {
  await rm(join(cwd, "a.jsonl"), { force: true });
  const { signal } = new AbortController();
  const part = join(cwd, "a.jsonl.part");
  Object.defineProperty(signal, "aborted", { get: () => existsSync(part) && statSync(part).size > 0 });
  expect((await run(BATCH, { cwd, signal })).status).toBe(130);
  expect((await readFile(part, "utf8")).split("\n")).toHaveLength(2);
}

const BATCH = ["ask", "--questions", "q.txt", "--out", "a.jsonl", "--threads", "1"];

describe("ask --questions", () => {
  it("gives the answers of single questions, in the order of the file", async () => {
    const { cwd, verbatim, lines } = await prepared();
    const { status, stderr, stdout } = await verbatim(BATCH);
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/(^|\n)Answered 3 questions in [\d.]+ s \([\d.]+ per second\)\.\n$/);
    const answers = await lines("a.jsonl");
    expect(answers.map(({ id }) => id)).toEqual(IDS);
    for (const { question, answers: found } of answers) {
      const alone = JSON.parse((await verbatim(["ask", question, "--json"])).stdout);
      expect(found).toEqual(alone.answers);
      expect(TEXT.slice(found[0].start, found[0].end)).toBe(found[0].text);
    }
    expect((await readdir(cwd)).filter((name) => name.startsWith("a.jsonl"))).toEqual(["a.jsonl"]);
  });

  it("resumes after its last complete line", async () => {
    const { cwd, verbatim, lines } = await prepared();
    await verbatim(BATCH);
    const whole = await lines("a.jsonl");
    const [first] = (await readFile(join(cwd, "a.jsonl"), "utf8")).split("\n");
    const marked = JSON.stringify({ ...JSON.parse(first!), marked: true });
    await interrupted(cwd);
    await writeFile(join(cwd, "a.jsonl.part"), `${marked}\n{"id":"tower","quest`);
    const { stderr } = await verbatim(BATCH);
    expect(stderr).toContain("Resuming after 1 of 3 questions.");
    expect(stderr).toContain("Answered the remaining 2 of 3 questions in ");
    const again = await lines("a.jsonl");
    expect(again[0].marked).toBe(true); // not asked again
    expect(again.slice(1).map(({ id, answers }) => ({ id, answers }))).toEqual(
      whole.slice(1).map(({ id, answers }) => ({ id, answers })),
    );
  });

  it("refuses to resume a file of other questions, and keeps it", async () => {
    const { cwd, verbatim } = await prepared();
    await writeFile(join(cwd, "a.jsonl.part"), '{"id":"other","answers":[]}\n');
    const { status, stderr } = await verbatim(BATCH);
    expect(status).toBe(2);
    expect(stderr).toContain("Delete a.jsonl.part");
    expect(await readFile(join(cwd, "a.jsonl.part"), "utf8")).toContain("other");
  });

  it("refuses to resume with another index or other settings, and keeps the file", async () => {
    const { cwd, verbatim, lines } = await prepared();
    await verbatim(["index", "notes.txt", "--index", "other", "--quiet"]);
    await interrupted(cwd);
    const part = await readFile(join(cwd, "a.jsonl.part"), "utf8");
    for (const [changed, named] of [
      [["--top-k", "3"], "--top-k."],
      [["--index", "other", "--explain"], "--index, --explain."],
      [["--where", 'id = "notes.txt"'], "--where."],
    ] as const) {
      const { status, stderr } = await verbatim([...BATCH, ...changed]);
      expect([status, stderr]).toEqual([
        2,
        `verbatim: a.jsonl.part was written with different settings: ${named}\n` +
          "  hint: Delete a.jsonl.part to start again, or choose another file with --out.\n",
      ]);
    }
    expect(await readFile(join(cwd, "a.jsonl.part"), "utf8")).toBe(part);
    await writeFile(join(cwd, "q.txt"), QUESTIONS.join("\n").replace("who built", "who sold"));
    expect((await verbatim(BATCH)).stderr).toContain("does not belong to these questions"); // although the ids are equal
    await writeFile(join(cwd, "q.txt"), QUESTIONS.join("\n"));
    await rm(join(cwd, "a.jsonl.part.json"));
    expect((await verbatim(BATCH)).stderr).toContain("The settings of a.jsonl.part are unknown.");
    await rm(join(cwd, "a.jsonl.part"));
    expect((await verbatim([...BATCH, "--top-k", "1"])).status).toBe(0);
    expect((await lines("a.jsonl")).map(({ answers }) => answers.length)).toEqual([1, 1, 1]);
  });

  it("refuses an output that another run is writing, the questions themselves, a folder and a device", async () => {
    const { cwd, verbatim } = await prepared();
    const lock = await takeLockAt(join(cwd, "a.jsonl.part.lock"), { name: "a", where: cwd, afterLoss: "" });
    expect(await verbatim(BATCH)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(`a.jsonl.part is being written to by process ${process.pid} on `),
    });
    await lock.release();
    const to = async (out: string) => (await verbatim(["ask", "--questions", "q.txt", "--out", out])).stderr;
    await mkdir(join(cwd, "folder"));
    await symlink("q.txt", join(cwd, "link"));
    expect(await to("q.txt")).toContain("q.txt would replace q.txt, which the command reads.");
    expect(await to("link")).toContain("link would replace q.txt, which the command reads.");
    expect(await to("folder")).toContain("folder cannot be written.");
    expect(await to("/dev/null")).toContain("/dev/null is not a regular file.");
    expect((await readdir(cwd)).filter((name) => name.includes(".part"))).toEqual([]);
    expect(await readFile(join(cwd, "q.txt"), "utf8")).toBe(QUESTIONS.join("\n"));
  });

  it("says how to resume after Ctrl-C", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "q.txt"), "one?\ntwo?\nthree?\n");
    const stop = new AbortController();
    const index = {
      async ask(question: string) {
        if (question === "two?") stop.abort();
        throwIfAborted(stop.signal);
        return { question, answers: [], passages: [], tookMs: 1 };
      },
    };
    const io = { cwd, env: {}, signal: stop.signal, stdout: SILENT, stderr: SILENT, stdin: Readable.from([]) };
    const asking = askBatch(
      index as unknown as Index,
      { questions: "q.txt", out: "a.jsonl" },
      { options: { signal: stop.signal }, settings: {}, threads: 1, io },
    );
    await expect(asking).rejects.toMatchObject({
      code: "aborted",
      message: expect.stringMatching(/^Stopped after [01] of 3 questions\.$/),
      hint: "Run the same command again to resume.",
    });
    expect(await readdir(cwd)).toContain("a.jsonl.part.json");
  });

  it("writes an error line for an invalid question", async () => {
    const { cwd, verbatim, lines } = await prepared();
    await writeFile(join(cwd, "q.txt"), 'who built the mill?\n{"id": "empty", "question": "   "}\n');
    expect((await verbatim(BATCH)).status).toBe(0);
    expect((await lines("a.jsonl"))[1]).toMatchObject({ id: "empty", error: { code: "invalid-argument" } });
  });

  it("requires both files, and no question as well", async () => {
    const { cwd, verbatim } = await prepared();
    for (const args of [
      ["--questions", "q.txt"],
      ["--out", "a.jsonl"],
      ["--questions", "q.txt", "--out", "a.jsonl", "who?"],
    ]) {
      const { status, stderr } = await verbatim(["ask", ...args]);
      expect([status, stderr.includes("must be used together")]).toEqual([2, true]);
    }
    await writeFile(join(cwd, "q.txt"), "fine?\n{broken\n");
    expect((await verbatim(BATCH)).stderr).toContain("line 2");
    expect(() => parseQuestions("\n \n", "q.txt")).toThrow("no questions");
    expect(parseQuestions('\ufeff{"id": 7, "question": "a?"}\r\nb?\r\n', "q")).toEqual([
      { id: "7", question: "a?" },
      { id: "2", question: "b?" },
    ]);
  });
});
