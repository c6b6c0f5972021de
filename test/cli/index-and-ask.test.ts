import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { type CliRun, projectRoot, temporaryFolder, verbatim, withoutProgress } from "./run-cli.js";

interface AskedAnswer {
  text: string;
  score: number;
  source: string;
  start: number;
  end: number;
  startByte: number;
  endByte: number;
  startCodePoint: number;
  endCodePoint: number;
  place: { line?: number };
  context: string;
  evidence: unknown[];
  parts?: Record<string, number>;
  ngrams?: unknown[];
}

interface Asked {
  question: string;
  strategy: string;
  tookMs: number;
  answers: AskedAnswer[];
}

interface Summary {
  documents: number;
  unchanged: number;
  replaced: number;
  passages: number;
  stopped: boolean;
  skipped: number;
  skips: Array<{ source: string; reason: string; code: string; hint?: string }>;
  total: { documents: number; passages: number; phrases: number; bytes: number } | null;
}

const json = <T>(run: CliRun): T => JSON.parse(run.stdout) as T;

describe("an index of the samples", () => {
  let cwd: string;
  let indexed: CliRun;

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "verbatim-samples-"));
    cpSync(join(projectRoot, "samples"), join(cwd, "samples"), { recursive: true });
    indexed = await verbatim(["index", "samples", "--json"], { cwd });
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it("indexes all documents and reports its content", () => {
    expect(indexed.status).toBe(0);
    const summary = json<Summary>(indexed);
    expect(summary).toMatchObject({ documents: 16, unchanged: 0, replaced: 0, stopped: false, skipped: 0, skips: [] });
    expect(summary.total).toMatchObject({ documents: 16, passages: summary.passages });
    expect(summary.total!.phrases).toBeGreaterThan(1000);
    expect(summary.total!.bytes).toBeGreaterThan(10_000);
  });

  it("answers with exact words at exact places", async () => {
    const asked = json<Asked>(
      await verbatim(["ask", "who founded the observatory?", "--json", "--top-k", "20"], { cwd }),
    );
    expect(asked).toMatchObject({ question: "who founded the observatory?", strategy: "hybrid" });
    expect(asked.answers.length).toBeGreaterThan(5);
    for (const answer of asked.answers.filter(({ source }) => source.endsWith(".txt"))) {
      const bytes = readFileSync(join(cwd, answer.source));
      const text = bytes.toString("utf8");
      expect(text.slice(answer.start, answer.end)).toBe(answer.text);
      expect(bytes.subarray(answer.startByte, answer.endByte).toString("utf8")).toBe(answer.text);
      expect([...text].slice(answer.startCodePoint, answer.endCodePoint).join("")).toBe(answer.text);
      expect(answer.place.line).toBe(text.slice(0, answer.start).split("\n").length);
      expect(answer.context).toContain(answer.text);
    }
    const scores = asked.answers.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("explains a score by four parts that sum to it", async () => {
    const { answers } = json<Asked>(await verbatim(["ask", "red light on the pump", "--json", "--explain"], { cwd }));
    expect(answers).toHaveLength(5);
    for (const { parts, score, ngrams } of answers) {
      expect(Object.keys(parts!).sort()).toEqual(["dense", "ngram", "terms", "tfidf", "vector"]);
      expect(Object.values(parts!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
      expect(ngrams).toBeInstanceOf(Array);
    }
    const { stdout } = await verbatim(["ask", "red light on the pump", "--explain"], { cwd });
    expect(stdout).toMatch(/^ {5}dense -?\d+\.\d\d [+−] n-grams \d+\.\d\d [+−] terms .* = -?\d+\.\d\d$/m);
  });

  it.each(["hybrid", "sparse-first", "dense-first", "exhaustive"])("answers with --strategy %s", async (strategy) => {
    const asked = await verbatim(["ask", "how much is the deposit?", "--strategy", strategy, "--json"], { cwd });
    expect(asked.status).toBe(0);
    expect(json<Asked>(asked)).toMatchObject({ strategy });
  });

  it("prints answers as text", async () => {
    const { status, stdout, stderr } = await verbatim(["ask", "who", "designed", "the bridge?", "--top-k", "2"], {
      cwd,
    });
    expect([status, stderr]).toEqual([0, ""]);
    const answers = stdout.split(/^(?= {2}\d {2})/m).filter((lines) => !lines.startsWith("Searched for: "));
    expect(answers).toHaveLength(2);
    // the sentence follows on the line, a table row on the next
    for (const answer of answers)
      expect(answer).toMatch(/^ {2}\d {2}.+ {2}score +-?\d+\.\d {2}samples\/\S+(?:.* {2}“.+”|\n {5}\S.*)\n/);
  });

  it("answers questions from a pipe one after another", async () => {
    const piped = await verbatim(["ask", "--json"], { cwd, stdin: "who?\n\nwhere is it?\r\nwhen" });
    expect(piped.status).toBe(0);
    const asked = piped.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Asked);
    expect(asked.map(({ question }) => question)).toEqual(["who?", "where is it?", "when"]);
    const mixed = await verbatim(["ask", "--json"], { cwd, stdin: "who?\n-tower\nwhen?\n" });
    const results = mixed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ question, error }) => [question, error?.code])).toEqual([
      ["who?", undefined],
      ["-tower", "invalid-argument"],
      ["when?", undefined],
    ]);
    expect(mixed.stderr).toBe("");
    const empty = await verbatim(["ask"], { cwd, stdin: "\n" });
    expect(empty.status).toBe(2);
    expect(empty.stderr).toContain("Standard input has no question.");
  });

  it("truncates a question of 10,000 words, with a note", async () => {
    const { status, stderr } = await verbatim(["ask", "--json"], { cwd, stdin: "observatory ".repeat(10_000) });
    expect(status).toBe(0);
    expect(stderr).toMatch(/^note: The question is longer than \d+ tokens: .+ is read\. Shorten it\.\n$/);
  });

  it.each(["天文台は誰が設立しましたか", "من أسس المرصد؟", "🔭🔭🔭"])("accepts the question %s", async (question) => {
    const { status, stderr } = await verbatim(["ask", question, "--json"], { cwd });
    expect([0, 1]).toContain(status);
    expect(stderr).toBe("");
  });

  it("is described by info and passes check", async () => {
    const info = json<Record<string, unknown>>(await verbatim(["info", "--json"], { cwd }));
    expect(info).toMatchObject({
      index: "./.verbatim",
      documents: 16,
      version: 1,
      formatVersion: FORMAT_VERSION,
      model: "tiny-random",
    });
    const shown = await verbatim(["info"], { cwd });
    expect(shown.stdout).toMatch(/^documents +16$/m);
    const checked = await verbatim(["check"], { cwd });
    expect(checked).toMatchObject({ status: 0, stdout: "./.verbatim is undamaged.\n" });
    expect(checked.stderr.replace(/^\d+ % .*\n/gm, "")).toBe(""); // progress, on a slow machine
  });

  it("skips unchanged documents and replaces changed ones", async () => {
    const again = json<Summary>(await verbatim(["index", "samples", "--json"], { cwd }));
    expect(again).toMatchObject({ documents: 0, unchanged: 16, total: { documents: 16 } });
    await writeFile(join(cwd, "samples", "plum-jam.txt"), "The jam is gone.\n");
    const changed = json<Summary>(await verbatim(["index", "samples", "--json"], { cwd }));
    expect(changed).toMatchObject({ documents: 1, replaced: 1, unchanged: 15, total: { documents: 16 } });
  });
});

describe("indexing", () => {
  it("prints what is in the index and what was skipped, grouped by reason", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "good.txt"), "The bell rings at noon.\n");
    await writeFile(join(cwd, "a.txt"), "");
    await writeFile(join(cwd, "b.txt"), "");
    await writeFile(join(cwd, "sheet.xls"), Buffer.from("d0cf11e0a1b11ae1", "hex"));
    const { status, stdout, stderr } = await verbatim(["index", "."], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Indexed 1 document, 1 passage, \d+ phrases? in [\d.]+ s \([\d,]+ tokens\/s\)\.$/m);
    expect(stdout).toMatch(/^\.\/\.verbatim now holds 1 document, 1 passage, \d+ phrases?, .+\.$/m);
    expect(withoutProgress(stderr)).toMatch(
      /^Skipped 3:\n {2}a\.txt, b\.txt: has no text\. .+\n {2}sheet\.xls: is an old Excel file\. .+\n$/,
    );
  });

  it("reads standard input", async () => {
    const cwd = await temporaryFolder();
    const lines =
      '{"id":"x","title":"Bell","text":"The bell rings at noon."}\n{"_id":"y","text":"It is made of bronze."}\n';
    const { status, stdout } = await verbatim(["index", "-", "--format", "jsonl", "--json"], { cwd, stdin: lines });
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as Summary).documents).toBe(2);
  });

  it("is silent with --quiet", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "The bell rings at noon.\n");
    expect(await verbatim(["index", "a.txt", "--quiet"], { cwd })).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["an empty folder", ["."], /^verbatim: No files to index: \.\n {2}hint: Supported formats: /],
    ["a path that is not there", ["nowhere"], /^verbatim: nowhere does not exist\.\n {2}hint: Check the path\.\n$/],
  ])("ends with status 3 for %s and leaves no index", async (_name, paths, message) => {
    const cwd = await temporaryFolder();
    const { status, stdout, stderr } = await verbatim(["index", ...paths], { cwd });
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(message);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("exits with status 3 and creates no index if no file could be read", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "");
    await writeFile(join(cwd, "b.pdf"), "%PDF-1.4 broken");
    const { status, stdout, stderr } = await verbatim(["index", "."], { cwd });
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("Skipped 2:");
    expect(stderr).toContain("verbatim: Nothing was indexed because no file could be read.");
    expect((await readdir(cwd)).sort()).toEqual(["a.txt", "b.pdf"]);
  });

  it("continues after unreadable files", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "loop"));
    await symlink("..", join(cwd, "loop", "up"));
    await writeFile(join(cwd, "secret.txt"), "no");
    await chmod(join(cwd, "secret.txt"), 0);
    await writeFile(join(cwd, "binary.txt"), Buffer.from([0, 1, 2, 255, 254, 0, 0, 7]));
    await writeFile(join(cwd, "good.txt"), "The bell rings at noon.");
    const run = await verbatim(["index", ".", "--json"], { cwd });
    expect(run.status).toBe(0);
    const { skips, total } = json<Summary>(run);
    const expected = process.getuid?.() === 0 ? ["binary.txt", "loop/up"] : ["binary.txt", "loop/up", "secret.txt"];
    expect(skips.map(({ source }) => source).sort()).toEqual(expected);
    for (const skip of skips) expect(skip.hint, skip.source).toBeTruthy();
    expect(total!.documents).toBeGreaterThan(0);
  });

  it("keeps finished documents when it is stopped, and resumes the next time", async () => {
    const cwd = await temporaryFolder();
    const all = 20;
    for (let i = 0; i < all; i++)
      await writeFile(join(cwd, `${i}.txt`), `The bell number ${i} rings at noon. `.repeat(12));
    const controller = new AbortController();
    const stdin = { cwd, signal: controller.signal };
    const { indexPaths } = await import("../../adapters/node/ingest/index-paths.js");
    const { tinyModel } = await import("./run-cli.js");
    const stopped = await indexPaths(["."], {
      index: ".verbatim",
      modelFolder: tinyModel,
      threads: 1,
      cwd,
      signal: stdin.signal,
      onProgress: ({ documents }) => {
        if (documents >= 3) controller.abort();
      },
    });
    expect(stopped.stopped).toBe(true);
    expect(stopped.documents).toBeGreaterThanOrEqual(3);
    expect(stopped.documents).toBeLessThan(all);
    expect(stopped.total!.documents).toBe(stopped.documents);
    const rest = json<Summary>(await verbatim(["index", ".", "--json"], { cwd }));
    expect(rest).toMatchObject({ unchanged: stopped.documents, documents: all - stopped.documents, stopped: false });
    expect(rest.total!.documents).toBe(all);
  });

  it("exits with status 130 if it is stopped before it began", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "The bell rings at noon.");
    const { status } = await verbatim(["index", "."], { cwd, signal: AbortSignal.abort() });
    expect(status).toBe(130);
    expect(await readdir(cwd)).toEqual(["a.txt"]);
  });
});

describe("a damaged index", () => {
  it("is reported by check, and other segments still answer", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "The bell rings at noon. It is made of bronze.\n");
    await verbatim(["index", "a.txt"], { cwd });
    const files = await readdir(join(cwd, ".verbatim"));
    const name = files.find((file) => file.endsWith(".phrases"))!;
    const bytes = readFileSync(join(cwd, ".verbatim", name));
    bytes[100]! ^= 1;
    await writeFile(join(cwd, ".verbatim", name), bytes);
    const { status, stdout, stderr } = await verbatim(["check"], { cwd });
    expect(status).toBe(3);
    expect(stdout).toContain(name);
    expect(stderr).toContain("is damaged");
  });
});
