/**
 * The thread that watches the parser in its process: it ends the process when a file takes too long or too much memory.
 * It never returns to its event loop, so nothing that the parser does can hold it up.
 */

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { type DeathReason, STATUS_PIPE } from "./messages.js";
import { STATE } from "./parser-state.js";

const EVERY_MS = 25;
/** Time on the clock counts as well, for a parser that waits for something that never comes. */
const CLOCK_FACTOR = 4;
const BYTES_PER_MIB = 1024 * 1024;

function watch(state: Int32Array): never {
  let progress = -1;
  let cpuStart = 0;
  let clockStart = 0;
  for (;;) {
    Atomics.wait(state, STATE.busy, 0);
    const clock = performance.now();
    const { user, system } = process.cpuUsage();
    const cpu = (user + system) / 1000;
    const current = Atomics.load(state, STATE.progress);
    if (current !== progress || Atomics.load(state, STATE.waiting) === 1) {
      progress = current;
      cpuStart = cpu;
      clockStart = clock;
    }
    const maxMs = state[STATE.maxMs]!;
    if (process.memoryUsage.rss() > state[STATE.maxMemoryMiB]! * BYTES_PER_MIB) endProcess("memory");
    else if (cpu - cpuStart > maxMs || clock - clockStart > maxMs * CLOCK_FACTOR) endProcess("time");
    Atomics.wait(state, STATE.maxMs, maxMs, EVERY_MS);
  }
}

function endProcess(reason: DeathReason): void {
  writeSync(STATUS_PIPE, `${reason}\n`);
  process.kill(process.pid, "SIGKILL");
}

if (workerData instanceof SharedArrayBuffer) watch(new Int32Array(workerData));
