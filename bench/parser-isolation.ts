/**
 * What do parsers in a process of their own cost? `verbatim index` reads the same folder with isolated parsers, and
 * with parsers that it runs itself, as new processes that alternate; each goes first equally often.
 *
 *     npm run bench -- parser-isolation [--folder samples | --small 10000] [--level full] [--rounds 10]
 *
 * `--small N` makes a folder of N texts of about 60 words. `ratio` is time in process ÷ time isolated: the rate of
 * indexing with isolation, compared with the rate without. `cpuRatio` is the same of the processor time of all
 * processes, which another program on the machine changes less.
 */

import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { percentile } from "../src/evaluate/percentile.js";
import { Random } from "../src/vectors/random.js";
import { record } from "./support/results.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    folder: { type: "string", default: join(root, "samples") },
    small: { type: "string" },
    level: { type: "string", default: "full" },
    rounds: { type: "string", default: "10" },
  },
});
const { level, small } = values;
const folder = small === undefined ? values.folder : await smallFiles(Number(small));
const rounds = Number(values.rounds);

/** @returns a new folder of texts of four sentences, the same at each call */
async function smallFiles(count: number): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "verbatim-small-"));
  const words = (await readFile(join(root, "samples", "history.md"), "utf8")).match(/\b[a-z]{3,}\b/g)!;
  const random = new Random(20261123);
  const sentence = (): string => {
    const length = 10 + random.int(6);
    return `The ${Array.from({ length }, () => words[random.int(words.length)]).join(" ")}.`;
  };
  for (let i = 0; i < count; i++) {
    await writeFile(join(made, `note-${i}.txt`), `Note ${i}. ${Array.from({ length: 4 }, sentence).join(" ")}\n`);
  }
  return made;
}

interface Times {
  milliseconds: number;
  cpuMs: number;
}

async function timesOf(parsers: "isolated" | "in-process"): Promise<Times> {
  const temporary = await mkdtemp(join(tmpdir(), "verbatim-bench-"));
  try {
    const report = join(temporary, "report.json");
    const probe = pathToFileURL(join(root, "bench", "support", "parsers.mjs")).href;
    const main = join(root, "dist", "adapters", "cli", "main.js");
    const args = ["--import", probe, main, "index", folder, "--index", join(temporary, "index"), "--level", level];
    const env = { ...process.env, VERBATIM_BENCH_PARSERS: parsers, VERBATIM_BENCH_REPORT: report };
    const { status, stderr } = spawnSync(process.execPath, args, { env });
    if (status !== 0) throw new Error(`${parsers} ended with status ${status}: ${stderr}`);
    return JSON.parse(await readFile(report, "utf8"));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const ascending = (numbers: number[]) => [...numbers].sort((a, b) => a - b);
const median = (numbers: number[]) => percentile(ascending(numbers), 0.5);
const rounded = (value: number) => Math.round(value * 1000) / 1000;

const isolated: Times[] = [];
const inProcess: Times[] = [];
for (let round = -1; round < rounds; round++) {
  const order = round % 2 === 0 ? (["isolated", "in-process"] as const) : (["in-process", "isolated"] as const);
  for (const parsers of order) {
    const times = await timesOf(parsers);
    if (round >= 0) (parsers === "isolated" ? isolated : inProcess).push(times); // the first round fills the system's cache
    console.error(
      `pair ${round}, ${parsers}: ${Math.round(times.milliseconds)} ms, ${Math.round(times.cpuMs)} ms of processor time`,
    );
  }
}
const ratios = isolated.map(({ milliseconds }, i) => inProcess[i]!.milliseconds / milliseconds);
const cpuRatios = isolated.map(({ cpuMs }, i) => inProcess[i]!.cpuMs / cpuMs);
await record("parser-isolation", {
  folder: small === undefined ? relative(root, folder) || folder : `${small} small files`,
  level,
  rounds,
  isolatedMs: Math.round(median(isolated.map(({ milliseconds }) => milliseconds))),
  inProcessMs: Math.round(median(inProcess.map(({ milliseconds }) => milliseconds))),
  ratio: rounded(median(ratios)),
  ratioP10: rounded(percentile(ascending(ratios), 0.1)),
  ratioP90: rounded(percentile(ascending(ratios), 0.9)),
  isolatedCpuMs: Math.round(median(isolated.map(({ cpuMs }) => cpuMs))),
  inProcessCpuMs: Math.round(median(inProcess.map(({ cpuMs }) => cpuMs))),
  cpuRatio: rounded(median(cpuRatios)),
  cpuRatioP10: rounded(percentile(ascending(cpuRatios), 0.1)),
  cpuRatioP90: rounded(percentile(ascending(cpuRatios), 0.9)),
});
if (small !== undefined) await rm(folder, { recursive: true, force: true });
