/**
 * Measures a `verbatim index` from inside: node --import probe.mjs main.js index …
 * At the end it writes a JSON report to the file named by VERBATIM_HOSTILE_REPORT: the most processor time that parsing
 * a file took (`longestFile`), and that the program itself used while its event loop did not turn (`longestBlock`), in
 * milliseconds. Processor time, because a busy machine stretches the clock.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { ParserProcess } from "../../dist/adapters/node/documents/isolation/parser-process.js";

/** The kernel counts processor time in ticks of this many milliseconds. */
const TICK_MS = 10;

/** Fields of /proc/PID/stat from the third on. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // it has ended
  }
}

/** Processor time of all parser processes so far, in milliseconds; without /proc, time on the clock. */
function parserMs() {
  const own = statOf("self");
  if (own.length === 0) return performance.now();
  const running = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  const ended = Number(own[13]) + Number(own[14]);
  const ticks = running.map(statOf).reduce((sum, stat) => sum + Number(stat[11] ?? 0) + Number(stat[12] ?? 0), ended);
  return ticks * TICK_MS;
}

function measure() {
  let longestFile = { milliseconds: 0, path: "" };
  let endedAt = parserMs();
  const ended = (path) => {
    const now = parserMs();
    if (now - endedAt > longestFile.milliseconds) longestFile = { milliseconds: now - endedAt, path };
    endedAt = now;
  };

  const paths = new WeakMap();
  const { read, next } = ParserProcess.prototype;
  ParserProcess.prototype.read = function (jobs) {
    paths.set(this, [...(paths.get(this) ?? []), ...jobs.map(({ input }) => input.path)]);
    return read.call(this, jobs);
  };
  ParserProcess.prototype.next = async function (...args) {
    const item = await next.apply(this, args);
    if (item.kind === "end" || item.kind === "died") ended(paths.get(this)?.shift() ?? "");
    return item;
  };

  let longestBlock = 0;
  let turnAt = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(turnAt);
    longestBlock = Math.max(longestBlock, (user + system) / 1000);
    turnAt = process.cpuUsage();
  }, 10).unref();

  process.on("exit", () => {
    writeFileSync(process.env.VERBATIM_HOSTILE_REPORT, JSON.stringify({ longestFile, longestBlock }));
  });
}

if (isMainThread && process.env.VERBATIM_HOSTILE_REPORT !== undefined) measure();
