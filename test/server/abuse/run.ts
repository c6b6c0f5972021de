/**
 * The full loads, with figures, against a server of its own on the loopback address (Linux):
 * VERBATIM_MAIN=dist/adapters/cli/main.js npx tsx test/server/abuse/run.ts [seconds per load,
 * default 30] [load number]
 */

import { batches, endlessUploads, idle, largeMetadata, slowBodies, slowHeaders, unread } from "./loads.js";
import { Victim } from "./victim.js";

const seconds = Number(process.argv[2] ?? 30);
const LOADS = [
  idle(2000),
  slowHeaders(600),
  slowBodies(600),
  unread("/v1/documents/large.txt", 6, 900),
  unread("/v1/documents/large.txt", 500, 10),
  unread("/openapi.json", 300, 900),
  batches(20),
  endlessUploads(4, 1),
  largeMetadata(20, 10),
];

const victim = await Victim.start({ largeUnits: 3_900_000 });
console.log(`server at ${Math.round(victim.memory().server)} MiB after the first questions`);
console.log("| load | questions | failed | slowest, ms | peak, MiB | growth, MiB |\n|---|---|---|---|---|---|");
const only = process.argv[3];
for (const load of only === undefined ? LOADS : [LOADS[Number(only)]!]) {
  const { questions, failed, slowestMs, peakMiB, growthMiB } = await victim.endure(load, {
    ...{ seconds, settleMs: 20_000, allowedMiB: 100 },
  });
  console.log(`| ${load.name} | ${questions} | ${failed} | ${slowestMs} | ${peakMiB} | ${growthMiB} |`);
  if (!victim.isRunning) break;
}
console.log(victim.isRunning ? await victim.stop() : "THE SERVER IS GONE");
await victim.remove();
