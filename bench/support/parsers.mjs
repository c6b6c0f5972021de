/**
 * Runs `verbatim index` with its parsers in this process, or isolated as always, and measures both:
 *
 *     VERBATIM_BENCH_PARSERS=in-process VERBATIM_BENCH_REPORT=FILE node --import parsers.mjs main.js index …
 *
 * At the end it writes { milliseconds, cpuMs } to FILE; `cpuMs` is the processor time of the program and its parsers.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { ParserPool } from "../../dist/adapters/node/documents/isolation/parser-pool.js";
import { ParserProcess } from "../../dist/adapters/node/documents/isolation/parser-process.js";
import { parseInput } from "../../dist/adapters/node/documents/parse-input.js";

/** The kernel counts processor time of other processes in ticks of this many milliseconds. */
const TICK_MS = 10;

/** Answers like a parser process, with the same items, but parses when the run asks for the next one. */
class ParserInProcess {
  isAlive = true;
  ready = true;
  #jobs = [];
  #skips = [];
  #documents;
  #content;

  prepare() {}
  hold() {}
  kill() {}

  read(jobs) {
    this.#jobs.push(...jobs);
  }

  async next() {
    if (this.#documents === undefined) {
      const { input, format, limits } = this.#jobs.shift();
      const onSkip = (skip) => this.#skips.push({ kind: "skip", skip });
      this.#documents = parseInput(input, { format, limits, content: this.#content, onSkip });
    }
    if (this.#skips.length > 0) return this.#skips.shift();
    const { done, value } = await this.#documents.next();
    if (!done) return { kind: "document", document: value };
    if (this.#skips.length > 0) return this.#skips.shift();
    this.#documents = undefined;
    return { kind: "end", retire: false };
  }
}

function parserMs(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0; // it has ended
  }
}

function measure(report) {
  let parsersMs = 0;
  const { kill } = ParserProcess.prototype;
  ParserProcess.prototype.kill = function () {
    parsersMs += parserMs(this.pid);
    return kill.call(this);
  };
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const cpuMs = (user + system) / 1000 + parsersMs;
    writeFileSync(report, JSON.stringify({ milliseconds: performance.now(), cpuMs, parsersMs }));
  });
}

if (isMainThread && process.env.VERBATIM_BENCH_REPORT !== undefined) {
  if (process.env.VERBATIM_BENCH_PARSERS === "in-process") {
    ParserPool.prototype.lease = () => new ParserInProcess();
    ParserPool.prototype.giveBack = () => {};
    ParserPool.prototype.warmUp = () => {};
  }
  measure(process.env.VERBATIM_BENCH_REPORT);
}
