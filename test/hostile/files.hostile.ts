/**
 * Files that mean harm, each between two good ones: the run survives, says one line for each bad file, and finds the
 * good ones. `npm run test:hostile`; VERBATIM_HOSTILE_SEED changes the random ones.
 *
 * Memory is watched as resident memory of the program and its children. A limit on address space (`ulimit -v`) does not
 * work for Node: V8 and WebAssembly reserve many GiB that they never use, and do not start under a limit of 2 GiB.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIndex } from "../../adapters/node/index.js";
import { families, goodText, numbered, questionOf, seed } from "./families.js";
import type { HostileInput } from "./hostile-text.js";
import { randomFrom } from "./random.js";
import { cli, hasProc, root, runProgram } from "./run.js";

const MAX_BYTES = 1.5 * 1024 ** 3;
/** Processor time of the parser: twenty seconds by its own limits, and the start of a process. */
const MAX_FILE_MS = 30_000;
/**
 * Processor time between two turns of the program's event loop: half a second, with room for a slow
 * machine. What one of these files would take is twenty seconds and more.
 */
const MAX_BLOCK_MS = 5000;
/** Time on the clock until the program has ended after Ctrl-C, on a machine that may be busy. */
const MAX_STOP_MS = 60_000;
/** Skipped records of a file are listed one by one up to a number, and then counted. */
const MAX_RECORD_LINES = 21;
const RECORDS = /\.(jsonl|json|csv|tsv|epub|mbox|eml|srt|vtt)(\.gz)?$/;

/** What the program says and what the probe measures. */
interface Report {
  skips: { source: string; reason: string; hint?: string }[];
  /** Processor time. */
  longestFile: { milliseconds: number; path: string };
  longestBlock: number;
  peakBytes: number;
}

/** Share of the good files that are the first answer to their question. */
const MIN_FIRST = 0.8;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-hostile-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bad files, each between two good ones in the order of the run. */
function writeFiles(name: string, inputs: HostileInput[]): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const good = (i: number) => writeFileSync(join(path, goodName(i)), goodText(i));
  for (const [i, input] of inputs.entries()) {
    good(i);
    writeFileSync(join(path, `${numbered(i)}-hostile-${input.name}`), input.content());
  }
  good(inputs.length);
  return path;
}

const goodName = (i: number) => `${numbered(i)}-good.txt`;

/** Indexes a folder with the built command line. */
async function indexFolder(path: string): Promise<Report> {
  const index = `${path}.index`;
  rmSync(index, { recursive: true, force: true });
  const report = `${path}.report.json`;
  const probe = pathToFileURL(join(root, "test", "hostile", "probe.mjs")).href;
  const args = ["index", ".", "--index", index, "--level", "lexical", "--json", "--quiet"];
  const { status, stdout, stderr, peakBytes } = await runProgram(["--import", probe, cli, ...args], {
    cwd: path,
    env: { VERBATIM_HOSTILE_REPORT: report },
  });
  expect(stderr).toBe("");
  expect([0, 3]).toContain(status);
  const { skips } = JSON.parse(stdout) as Pick<Report, "skips">;
  return { skips, peakBytes, ...JSON.parse(readFileSync(report, "utf8")) };
}

/**
 * Asks for the content of each good file: all are found, and most come first (their sentences differ by two words). The
 * ranking by words decides; what a reader makes of such sentences is not the question here.
 */
async function findGoodFiles(path: string, count: number): Promise<void> {
  const index = await openIndex({ path: `${path}.index` });
  let first = 0;
  try {
    for (let i = 0; i < count; i++) {
      const question = questionOf(i);
      const { answers } = await index.ask(question, { strategy: "lexical", reader: "off", topK: 40 });
      const documents = answers.map(({ documentId }) => documentId);
      expect(documents, question).toContain(goodName(i));
      if (documents[0] === goodName(i)) first++;
    }
    expect(first).toBeGreaterThanOrEqual(count * MIN_FIRST);
  } finally {
    await index.close();
  }
}

describe("hostile files", () => {
  it("are at least 120", () => {
    const names = families.flatMap(([family, inputs]) => inputs.map(({ name }) => `${family}/${name}`));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(120);
  });

  it.each(families)("of %s harm nothing but themselves", { timeout: 1_200_000 }, async (family, inputs) => {
    const path = writeFiles(family.replaceAll(" ", "-"), inputs);
    const report = await indexFolder(path);
    const lines = new Map<string, number>();
    for (const { source, reason, hint } of report.skips) {
      expect(source).toContain("-hostile-");
      expect(`${reason} ${hint ?? ""}`).not.toMatch(/[\n\r]|undefined/);
      lines.set(source, (lines.get(source) ?? 0) + 1);
    }
    for (const [source, count] of lines)
      expect([source, count <= (RECORDS.test(source) ? MAX_RECORD_LINES + 1 : 1)]).toEqual([source, true]);
    if (hasProc) expect(report.peakBytes).toBeGreaterThan(0);
    expect(report.peakBytes).toBeLessThan(MAX_BYTES);
    const { longestFile, longestBlock, peakBytes, skips } = report;
    expect(longestFile.milliseconds).toBeLessThan(MAX_FILE_MS);
    const peak = Math.round(peakBytes / 2 ** 20);
    console.log(
      `${family}: ${inputs.length} files, ${skips.length} lines, longest file ${Math.round(longestFile.milliseconds)} ms ` +
        `of the processor (${longestFile.path}), longest block ${Math.round(longestBlock)} ms of it, peak ${peak} MiB`,
    );
    if (process.env.VERBATIM_HOSTILE_VERBOSE)
      for (const { source, reason } of skips) console.log(`  ${source} ${reason}`);
    expect(longestBlock).toBeLessThan(MAX_BLOCK_MS);
    await findGoodFiles(path, inputs.length + 1);
  });

  it("do not keep the program from stopping at once", { timeout: 600_000 }, async () => {
    const slow = families
      .flatMap(([, inputs]) => inputs)
      .filter(({ name }) => /^(endless|flate|rows|elements)/.test(name));
    const path = writeFiles("stopped", slow);
    const random = randomFrom(seed + 7);
    for (let round = 0; round < 5; round++) {
      const moment = 500 + random(8000);
      let stoppedAt = 0;
      const args = [cli, "index", path, "--index", `${path}.index`, "--level", "lexical"];
      await runProgram(args, {
        use: (child) => {
          setTimeout(() => {
            stoppedAt = performance.now();
            child.kill("SIGINT");
          }, moment);
        },
      });
      const ended = stoppedAt === 0 ? 0 : performance.now() - stoppedAt;
      expect(ended, `stopped after ${moment} ms`).toBeLessThan(MAX_STOP_MS);
    }
  });
});
