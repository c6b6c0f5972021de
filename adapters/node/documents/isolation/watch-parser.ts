/**
 * The thread that watches the parser in its process: it ends the process when a file takes too long or too much memory.
 * It never returns to its event loop, so nothing that the parser does can hold it up.
 */

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { type DeathReason, STATUS_PIPE } from "./messages.js";
import { STATE } from "./parser-state.js";

const EVERY_MS = 25;
/**
 * Elapsed time counts only for a parser that neither works nor waits. It is long because a busy
 * machine may give a parser a small share of a core.
 */
const CLOCK_FACTOR = 30;
const BYTES_PER_MIB = 1024 * 1024;

/** Time since the process started, in milliseconds. */
interface Times {
  cpu: number;
  idle: number;
  clock: number;
}

function watch(state: Int32Array): never {
  let progress = -1;
  let part = -1;
  let fileStart: Times = timesOf(state);
  let partStart = fileStart;
  for (;;) {
    Atomics.wait(state, STATE.busy, 0);
    const now = timesOf(state);
    const isNewFile = Atomics.load(state, STATE.progress) !== progress || Atomics.load(state, STATE.waiting) === 1;
    if (isNewFile) fileStart = now;
    if (isNewFile || Atomics.load(state, STATE.part) !== part) partStart = now;
    progress = Atomics.load(state, STATE.progress);
    part = Atomics.load(state, STATE.part);
    const maxMs = state[STATE.maxMs]!;
    const maxPartMs = state[STATE.maxPartMs]!;
    const isOverdue =
      now.cpu - fileStart.cpu > maxMs ||
      now.cpu - partStart.cpu > maxPartMs ||
      now.idle - partStart.idle > maxPartMs ||
      now.clock - fileStart.clock > maxMs * CLOCK_FACTOR;
    const memoryMiB = process.memoryUsage.rss() / BYTES_PER_MIB;
    Atomics.store(state, STATE.memoryMiB, memoryMiB);
    if (memoryMiB > state[STATE.maxMemoryMiB]!) endProcess("memory");
    else if (isOverdue) endProcess("time");
    Atomics.wait(state, STATE.maxMs, maxMs, EVERY_MS);
  }
}

function timesOf(state: Int32Array): Times {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1000, idle: Atomics.load(state, STATE.idleMs), clock: performance.now() };
}

function endProcess(reason: DeathReason): void {
  writeSync(STATUS_PIPE, `${reason}\n`);
  process.kill(process.pid, "SIGKILL");
}

if (workerData instanceof SharedArrayBuffer) watch(new Int32Array(workerData));
