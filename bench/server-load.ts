/**
 * How many questions per second does a server answer, and does indexing delay them?
 *
 *     npm run bench -- server-load --index DIR --questions FILE [--rates 20,40,80] [--seconds 20] [--p99 50] [--settle 5] [--reader auto] [--model DIR] [--seed 1]
 *     npm run bench -- server-load --index COPY --questions FILE --ingest FILE.jsonl --rate 20 [--seconds 60]
 *
 * The server is a separate process on this machine, and this process sends questions over loopback
 * at a fixed arrival rate (an open loop). It begins --settle seconds after the server started, when
 * its threads have warmed up. Without --rates it searches for the highest rate without errors whose
 * p99 stays within --p99 milliseconds. With --ingest, which modifies the index (use a copy), p99 is
 * measured before, during and after indexing the file, at the same rate.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { Random } from "../src/vectors/random.js";
import { type Measured, openLoop } from "./support/open-loop.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    rates: { type: "string" },
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "20" },
    p99: { type: "string", default: "50" },
    settle: { type: "string", default: "5" },
    ingest: { type: "string" },
    model: { type: "string" },
    strategy: { type: "string", default: "hybrid" },
    reader: { type: "string", default: "off" },
    seed: { type: "string", default: "1" },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- server-load --index DIR --questions FILE [--rates N,N | --ingest FILE --rate N] [--seconds N]",
  );
  process.exit(2);
}

interface Running {
  child: ChildProcess;
  url: string;
  token: string;
}

async function startServer(index: string): Promise<Running> {
  const main = fileURLToPath(new URL("../dist/adapters/cli/main.js", import.meta.url));
  const model = values.model === undefined ? [] : ["--model", values.model];
  const args = [main, "serve", "--index", index, "--port", "0", "--json", "--reader", values.reader, ...model];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    return { child, url, token };
  }
  throw new Error("The server did not start.");
}

/** Resident memory of the server process in megabytes; Linux only. */
function peakMemory({ child }: Running): number | undefined {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1000);
  } catch {
    return undefined;
  }
}

const random = new Random(Number(values.seed));
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const server = await startServer(values.index);
const ask = `${server.url}v1/ask`;
await new Promise((resolve) => setTimeout(resolve, 1000 * Number(values.settle)));
const status = (await (await fetch(`${server.url}v1/status`)).json()) as { documents: number; passages: number };
const about = {
  documents: status.documents,
  passages: status.passages,
  strategy: values.strategy,
  reader: values.reader,
};

/** Every request has a different question, so that caching answers would not help. */
function load(rate: number, seconds: number, until?: AbortSignal): Promise<Measured> {
  const body = () => ({
    question: all[random.int(all.length)]!.question,
    strategy: values.strategy,
    topK: 5,
    minConfidence: 0,
  });
  return openLoop({ url: ask, body, rate, seconds, until });
}

const seconds = Number(values.seconds);
const most = Number(values.p99);
const isGood = ({ errors, msP99 }: Measured): boolean => Object.keys(errors).length === 0 && msP99 <= most;

async function measure(rate: number): Promise<Measured> {
  const measured = await load(rate, seconds);
  await record("server-load", { ...about, seconds, ...measured, peakMB: peakMemory(server) });
  return measured;
}

/** Doubles the rate until it is too high, then bisects four times. */
async function findHighest(): Promise<number> {
  let good = 0;
  let bad = Number.POSITIVE_INFINITY;
  for (let rate = 10; rate <= 1280 && bad === Number.POSITIVE_INFINITY; rate *= 2) {
    if (isGood(await measure(rate))) good = rate;
    else bad = rate;
  }
  for (let step = 0; step < 4 && bad - good > 2; step++) {
    const rate = Math.round((good + bad) / 2);
    if (isGood(await measure(rate))) good = rate;
    else bad = rate;
  }
  return good;
}

async function ingestBeside(file: string): Promise<void> {
  const rate = Number(values.rate);
  const before = await load(rate, seconds);
  const bytes = await readFile(file);
  const headers = { Authorization: `Bearer ${server.token}` };
  const name = encodeURIComponent(basename(file));
  const sent = await fetch(`${server.url}v1/uploads?name=${name}`, { method: "POST", headers, body: bytes });
  if (!sent.ok) throw new Error(`The file was rejected: ${sent.status} ${await sent.text()}`);
  const { id } = (await sent.json()) as { id: string };
  const job = async () =>
    (await (await fetch(`${server.url}v1/jobs/${id}`, { headers })).json()) as {
      state: string;
      documents: number;
      passages: number;
    };
  const ended = new AbortController();
  const began = performance.now();
  let tookSeconds = 0;
  const watching = (async () => {
    for (;;) {
      const { state } = await job();
      if (state !== "waiting" && state !== "running") break;
      await new Promise((done) => setTimeout(done, 250));
    }
    tookSeconds = (performance.now() - began) / 1000;
    ended.abort();
  })();
  const during = await load(rate, 600, ended.signal);
  await watching;
  const after = await load(rate, seconds);
  const { documents, passages, state } = await job();
  const rounds = { before, during, after };
  for (const [when, measured] of Object.entries(rounds)) await record("server-load", { ...about, when, ...measured });
  await record("server-load", {
    ...about,
    when: "ratio",
    rate,
    ingestion: { file: join(basename(file)), state, documents, passages, tookSeconds },
    p99Ratio: during.msP99 / before.msP99,
    p50Ratio: during.msP50 / before.msP50,
    peakMB: peakMemory(server),
  });
}

try {
  await load(20, 10); // warm-up: pages of the index, compiled code
  if (values.ingest !== undefined) await ingestBeside(values.ingest);
  else if (values.rates !== undefined) for (const rate of values.rates.split(",")) await measure(Number(rate));
  else {
    const questionsPerSecond = await findHighest();
    await record("server-load", { ...about, highestRate: questionsPerSecond, msP99AtMost: most, seconds });
  }
} finally {
  const closed = new Promise((done) => server.child.once("close", done));
  server.child.kill("SIGTERM");
  await closed;
}
