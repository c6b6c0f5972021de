/**
 * What does a served question cost that the reader reads? Two builds in turns, so that a busy
 * machine slows both alike.
 *
 *     node --import tsx bench/server-reader.ts --servers NAME=DIST=INDEX,NAME=DIST=INDEX --questions FILE [--rounds 4] [--questions-per-round 60] [--at-once 2]
 *
 * Each server is a process of its own. Reported per build: milliseconds per question (p50), and the
 * CPU milliseconds per question of the whole process and of the thread that talks to clients, which
 * busy neighbours do not change. Linux only.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    servers: { type: "string", default: "" },
    questions: { type: "string", default: "" },
    rounds: { type: "string", default: "4" },
    "questions-per-round": { type: "string", default: "60" },
    "at-once": { type: "string", default: "2" },
  },
});

interface Server {
  name: string;
  child: ChildProcess;
  url: string;
  milliseconds: number[];
  cpu: { process: number; mainThread: number };
}

async function start(spec: string): Promise<Server> {
  const [name, dist, index] = spec.split("=") as [string, string, string];
  const args = [join(dist, "adapters/cli/main.js"), "serve", "--index", index, "--port", "0", "--json", "--read-only"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url } = JSON.parse(line) as { url: string };
    return { name, child, url, milliseconds: [], cpu: { process: 0, mainThread: 0 } };
  }
  throw new Error(`The server of ${name} did not start.`);
}

/** CPU milliseconds so far; the kernel counts in hundredths of a second. */
function cpuOf(path: string): number {
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const cpu = ({ child }: Server): Server["cpu"] => ({
  process: cpuOf(`/proc/${child.pid}/stat`),
  mainThread: cpuOf(`/proc/${child.pid}/task/${child.pid}/stat`),
});

async function ask({ url }: Server, question: string): Promise<number> {
  const began = performance.now();
  const body = JSON.stringify({ question, reader: "on", minConfidence: 0 });
  const response = await fetch(`${url}v1/ask`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  const result = (await response.json()) as { reading?: { passages: number } };
  if (!response.ok || !result.reading?.passages) throw new Error(`Not read: ${JSON.stringify(result).slice(0, 300)}`);
  return performance.now() - began;
}

async function round(server: Server, questions: readonly string[]): Promise<void> {
  const before = cpu(server);
  const waiting = [...questions];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      server.milliseconds.push(await ask(server, next));
    }
  };
  await Promise.all(Array.from({ length: Number(values["at-once"]) }, lane));
  const after = cpu(server);
  server.cpu.process += after.process - before.process;
  server.cpu.mainThread += after.mainThread - before.mainThread;
}

const perRound = Number(values["questions-per-round"]);
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions).map(
  ({ question }) => question,
);
const servers: Server[] = [];
try {
  for (const spec of values.servers.split(",")) servers.push(await start(spec));
  for (const server of servers) for (const question of all.slice(0, 20)) await ask(server, question); // opens the sessions
  for (let n = 0; n < Number(values.rounds); n++) {
    const questions = all.slice(20 + n * perRound, 20 + (n + 1) * perRound);
    for (const server of n % 2 === 0 ? servers : servers.toReversed()) await round(server, questions);
  }
  for (const { name, milliseconds, cpu } of servers) {
    const sorted = milliseconds.toSorted((a, b) => a - b);
    const count = sorted.length;
    await record("server-reader", {
      name,
      questions: count,
      atOnce: Number(values["at-once"]),
      msP50: percentile(sorted, 0.5),
      msP90: percentile(sorted, 0.9),
      cpuMs: cpu.process / count,
      mainThreadCpuMs: cpu.mainThread / count,
    });
  }
} finally {
  for (const { child } of servers) child.kill("SIGTERM");
}
