/** A parser process with small limits and its watch, but without a parser: does what its argument names. */

import { ParserState } from "../../../adapters/node/documents/isolation/parser-state.js";
import { startWatch } from "../../../adapters/node/documents/isolation/start-watch.js";

const MAX_PART_MS = 400;

/** Uses the processor, not the clock: a busy machine makes this take longer. */
function work(milliseconds: number): void {
  const start = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  while (used() < milliseconds);
}

const deeds: Record<string, () => unknown> = {
  work: () => work(Infinity),
  wait: () => setInterval(() => {}, 1000),
  allocate: () => {
    const held: Uint8Array[] = [];
    for (; ; state.part()) held.push(new Uint8Array(1024 * 1024).fill(1));
  },
  parts: () => {
    for (let part = 0; part < 20; part++) {
      work(MAX_PART_MS / 4);
      state.part();
    }
    process.exit(0);
  },
};

const state = new ParserState();
const watch = startWatch(state);
watch.on("online", () => {
  state.begin({ maxMs: 60_000, maxPartMs: MAX_PART_MS, maxMemoryMiB: 512 });
  deeds[process.argv[2]!]!();
});
