/**
 * What do parsers in a process of their own cost? The same folder is indexed by `verbatim index` and by a program that
 * parses in its own process, as new processes that alternate; each goes first equally often.
 *
 *     npm run bench -- parser-isolation [--folder samples] [--rounds 10]
 *
 * `ratio` is time in process ÷ time isolated: the rate of indexing with isolation, compared with the rate without.
 */

import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { percentile, record } from "./support/results.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: { folder: { type: "string", default: join(root, "samples") }, rounds: { type: "string", default: "10" } },
});
const { folder } = values;
const rounds = Number(values.rounds);

const programs = {
  isolated: (index: string) => [join(root, "dist", "adapters", "cli", "main.js"), "index", folder, "--index", index],
  inProcess: (index: string) => [join(root, "bench", "support", "index-in-process.mjs"), folder, index],
};

async function milliseconds(program: keyof typeof programs): Promise<number> {
  const temporary = await mkdtemp(join(tmpdir(), "verbatim-bench-"));
  try {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, programs[program](join(temporary, "index")));
    if (status !== 0) throw new Error(`${program} ended with status ${status}: ${stderr}`);
    return performance.now() - started;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const ascending = (numbers: number[]) => [...numbers].sort((a, b) => a - b);
const times = { isolated: [] as number[], inProcess: [] as number[] };
for (let round = -1; round < rounds; round++) {
  const order = round % 2 === 0 ? (["isolated", "inProcess"] as const) : (["inProcess", "isolated"] as const);
  for (const program of order) {
    const time = await milliseconds(program);
    if (round >= 0) times[program].push(time); // the first round fills the system's cache
  }
}
const ratios = ascending(times.isolated.map((time, i) => times.inProcess[i]! / time));
const rounded = (value: number) => Math.round(value * 1000) / 1000;
await record("parser-isolation", {
  folder,
  rounds,
  isolatedMs: Math.round(percentile(ascending(times.isolated), 0.5)),
  inProcessMs: Math.round(percentile(ascending(times.inProcess), 0.5)),
  ratio: rounded(percentile(ratios, 0.5)),
  ratioP10: rounded(percentile(ratios, 0.1)),
  ratioP90: rounded(percentile(ratios, 0.9)),
});
