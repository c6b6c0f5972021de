/**
 * Files that mean harm, each between two good ones: the run survives, says one line for each bad file, and finds the
 * good ones. `npm run test:hostile`; VERBATIM_HOSTILE_SEED changes the random ones.
 *
 * Memory is watched as resident memory of the program and its children. A limit on address space (`ulimit -v`) does not
 * work for Node: V8 and WebAssembly reserve many GiB that they never use, and do not start under a limit of 2 GiB.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileDocx, hostileEpub, hostilePdf } from "./hostile-packed.js";
import { type HostileInput, hostileHtml, hostileMarkdown, hostilePlain, hostileRecords } from "./hostile-text.js";
import { randomFrom } from "./random.js";
import { cli, hasProc, root, runProgram } from "./run.js";

const seed = Number(process.env.VERBATIM_HOSTILE_SEED ?? 1);
const MAX_BYTES = 1.5 * 1024 ** 3;
/** Processor time of the parser: twenty seconds by its own limits, and the start of a process. */
const MAX_FILE_MS = 30_000;
const MAX_BLOCK_MS = 1000;
/** A limit on time on the clock fails only if it is missed this often in a row, … */
const TRIES = 3;
/** … and is longer on a machine that has more to do than processors for it. */
const load = () => Math.max(1, loadavg()[0]! / availableParallelism());
/** Skipped records of a file are listed one by one up to a number, and then counted. */
const MAX_RECORD_LINES = 21;
const RECORDS = /\.(jsonl|json|csv|epub)(\.gz)?$/;

const families: [name: string, inputs: HostileInput[]][] = [
  ["Markdown", hostileMarkdown(randomFrom(seed))],
  ["HTML and unknown formats", hostileHtml(randomFrom(seed + 1))],
  ["records", hostileRecords(randomFrom(seed + 2))],
  ["plain text and gzip", hostilePlain(randomFrom(seed + 3))],
  ["docx", hostileDocx(randomFrom(seed + 4))],
  ["EPUB", hostileEpub(randomFrom(seed + 5))],
  ["PDF", hostilePdf(randomFrom(seed + 6))],
];

const WORDS = "amber birch cedar dover ember flint grove heron islet jetty kiosk larch maple niche otter perch".split(
  " ",
);
/** The name in the good file with this number. */
const nameOf = (i: number) => `${WORDS[i % WORDS.length]} ${WORDS[WORDS.length - 1 - Math.floor(i / WORDS.length)]}`;

interface Report {
  documents: number;
  skips: { source: string; reason: string; hint?: string }[];
  /** Processor time, and the event that ended it: the name of a skipped file, or how many are done. */
  longestFile: { milliseconds: number; until: string };
  longestBlock: number;
  /** The documents of the answers to each question, best first. */
  found: string[][];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "verbatim-hostile-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bad files, each between two good ones in the order of the run. */
function writeFiles(name: string, inputs: HostileInput[]): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const good = (i: number) =>
    writeFileSync(
      join(path, `${String(i).padStart(3, "0")}-good.txt`),
      `The lighthouse of ${nameOf(i)} was built by Agnes ${nameOf(i)} in 19${10 + (i % 90)}.`,
    );
  for (const [i, input] of inputs.entries()) {
    good(i);
    writeFileSync(join(path, `${String(i).padStart(3, "0")}-hostile-${input.name}`), input.content());
  }
  good(inputs.length);
  return path;
}

async function indexFolder(path: string, count: number): Promise<Report & { peakBytes: number }> {
  const index = `${path}.index`;
  rmSync(index, { recursive: true, force: true });
  const questions = Array.from({ length: count }, (_, i) => `Who built the lighthouse of ${nameOf(i)}?`);
  const driver = join(root, "test", "hostile", "driver.mjs");
  const { status, stdout, stderr, peakBytes } = await runProgram([driver, path, index, ...questions]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return { ...(JSON.parse(stdout.trim().split("\n").at(-1)!) as Report), peakBytes };
}

describe("hostile files", () => {
  it("are at least 120", () => {
    const names = families.flatMap(([family, inputs]) => inputs.map(({ name }) => `${family}/${name}`));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(120);
  });

  it.each(families)("of %s harm nothing but themselves", { timeout: 1_200_000 }, async (family, inputs) => {
    const path = writeFiles(family.replaceAll(" ", "-"), inputs);
    const good = inputs.length + 1;
    let block = Infinity;
    for (let attempt = 0; attempt < TRIES && block > MAX_BLOCK_MS * load(); attempt++) {
      const report = await indexFolder(path, good);
      for (const [i, documents] of report.found.entries())
        expect(documents).toContain(`${String(i).padStart(3, "0")}-good.txt`);
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
      block = Math.min(block, report.longestBlock);
      const { longestFile, longestBlock, peakBytes, skips } = report;
      expect(longestFile.milliseconds).toBeLessThan(MAX_FILE_MS);
      const peak = Math.round(peakBytes / 2 ** 20);
      console.log(
        `${family}: ${inputs.length} files, ${skips.length} lines, longest file ${Math.round(longestFile.milliseconds)} ms ` +
          `of the processor (until ${longestFile.until}), longest block ${Math.round(longestBlock)} ms, peak ${peak} MiB`,
      );
      if (process.env.VERBATIM_HOSTILE_VERBOSE)
        for (const { source, reason } of skips) console.log(`  ${source} ${reason}`);
    }
    expect(block).toBeLessThan(MAX_BLOCK_MS * load());
  });

  it("do not keep the program from stopping at once", { timeout: 600_000 }, async () => {
    const slow = families
      .flatMap(([, inputs]) => inputs)
      .filter(({ name }) => /^(endless|flate|rows|elements)/.test(name));
    const path = writeFiles("stopped", slow);
    const random = randomFrom(seed + 7);
    for (let round = 0; round < 5; round++) {
      const moment = 500 + random(8000);
      let answered = Infinity;
      for (let attempt = 0; attempt < TRIES && answered > MAX_BLOCK_MS * load(); attempt++) {
        let stoppedAt = 0;
        const args = [cli, "index", path, "--index", `${path}.index`, "--level", "lexical"];
        await runProgram(args, (child) => {
          setTimeout(() => {
            stoppedAt = performance.now();
            child.kill("SIGINT");
          }, moment);
        });
        answered = Math.min(answered, stoppedAt === 0 ? 0 : performance.now() - stoppedAt);
      }
      expect([moment, answered < MAX_BLOCK_MS * load()]).toEqual([moment, true]);
    }
  });
});
