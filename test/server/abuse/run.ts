/**
 * The full loads, with figures, against servers of its own on the loopback address (Linux):
 * VERBATIM_MAIN=dist/adapters/cli/main.js npx tsx test/server/abuse/run.ts [seconds per load,
 * default 30] [part of the names of loads]
 */

import { loadavg } from "node:os";
import { apart, FULL_LOADS, type Program } from "./full-loads.js";
import { Victim } from "./victim.js";

const seconds = Number(process.argv[2] ?? 30);
const only = process.argv[3] ?? "";
async function measure(program: Program): Promise<void> {
  const chosen = FULL_LOADS[program].filter(({ name }) => name.includes(only));
  if (chosen.length === 0) return;
  const victim = await Victim.start({ largeUnits: 3_900_000, program });
  console.log(`\n${program} at ${Math.round(victim.memory().server)} MiB after the first questions\n`);
  console.log("| load | questions | failed | median | slowest, ms | without, ms | peak | growth | writing | machine |");
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const load of chosen) {
    const options = { seconds, calmMs: 3000, settleMs: 20_000, allowedMiB: 100 };
    const it = await victim.endure(apart(program, load), options);
    const times = `${it.medianMs} | ${it.slowestMs} | ${it.calmSlowestMs}`;
    const memory = `${it.peakMiB} MiB | ${it.growthMiB} | ${it.writingPeakMiB}`;
    console.log(
      `| ${load.name} | ${it.questions} | ${it.failed} | ${times} | ${memory} | ${loadavg()[0]!.toFixed(1)} |`,
    );
    if (!victim.isRunning) break;
  }
  console.log(`warnings of Node: ${victim.warnings.length} ${victim.warnings[0] ?? ""}`);
  console.log(victim.isRunning ? await victim.stop() : `THE SERVER IS GONE\n${victim.stderr.slice(-2000)}`);
  await victim.remove();
}

await measure("serve");
await measure("mcp");
