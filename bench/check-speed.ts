/**
 * How many megabytes per second does `check` verify?
 *
 *     npm run bench -- check-speed --index DIR [--rounds 3] [--threads N]
 *
 * Uses the built program, because compiling TypeScript in each thread would be timed as well. The
 * index is only read. A first round loads the files into the page cache and is not counted; then
 * rounds with one thread and with all threads alternate. `cpuSeconds` is summed over all threads
 * and, on a busy machine, more meaningful than the elapsed time.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type * as CheckThreads from "../adapters/node/check/check-threads.js";
import { percentile } from "../src/evaluate/percentile.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string" },
  },
});
if (values.index === undefined) {
  console.error("usage: npm run bench -- check-speed --index DIR [--rounds N] [--threads N]");
  process.exit(2);
}
const built = new URL("../dist/adapters/node/check/check-threads.js", import.meta.url).href;
const { checkFolder }: typeof CheckThreads = await import(built);
const folder = resolve(values.index);
const many = values.threads === undefined ? undefined : Number(values.threads);
const first = await checkFolder(folder);
if (!first.ok) throw new Error(`${folder} is damaged: ${first.problems.join("; ")}`);
const rates = { one: [] as number[], all: [] as number[] };
const cpu = { one: 0, all: 0 };
const rounds = Number(values.rounds);
for (let round = 0; round < rounds; round++) {
  for (const [name, threads] of [
    ["one", 1],
    ["all", many],
  ] as const) {
    const begun = performance.now();
    const before = process.cpuUsage();
    const { bytes } = await checkFolder(folder, { threads });
    const { user, system } = process.cpuUsage(before);
    rates[name].push(bytes / 1e3 / (performance.now() - begun));
    cpu[name] += (user + system) / 1e6 / rounds;
  }
}
for (const name of ["one", "all"] as const) {
  const sorted = rates[name].sort((a, b) => a - b);
  await record("check-speed", {
    threads: name === "one" ? 1 : (many ?? "one per core"),
    megabytesPerSecondP50: percentile(sorted, 0.5),
    megabytesPerSecondWorst: sorted[0],
    megabytes: first.bytes / 1e6,
    cpuSeconds: cpu[name],
    rounds,
    residentMB: Math.round(process.memoryUsage.rss() / 1e6),
  });
}
