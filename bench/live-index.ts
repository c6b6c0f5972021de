/**
 * What does an index that changes cost those who ask? All on a copy (hard links; the index itself is only read), the model loaded.
 *
 *     npm run bench -- live-index --index DIR --questions FILE [--count 100] [--adds 20] [--model DIR] [--beside DIR]
 *
 *   add       from `add` of one document of two pages to an answer from it: encoded, committed with sync, refreshed, asked
 *   delete    from `delete` to a question whose answers lack it, and how often it was still there (must be 0)
 *   idle, merging   a question while nothing else goes on, and while the same process merges all segments
 *   recover   open of a writer and of a reader after `kill -9` of one that had added and not committed
 *   check     megabytes a second
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkFolder } from "../adapters/node/check-threads.js";
import { openEncoder } from "../adapters/node/encoder/encoder.js";
import { FileStorage } from "../adapters/node/storage.js";
import { type Index, openIndex, openWriter, type Writer } from "../src/engine.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { snapshotIndex } from "../src/index/copy.js";
import { pagesOf } from "./support/pages.js";
import { percentile, record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "100" },
    adds: { type: "string", default: "20" },
    model: { type: "string" },
    beside: { type: "string" },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- live-index --index DIR --questions FILE [--count N] [--adds N] [--model DIR] [--beside DIR]",
  );
  process.exit(2);
}
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = Array.from({ length: Number(values.count) }, (_, n) => all[n % all.length]!.question);
const adds = Number(values.adds);
const original = resolve(values.index);
/** In a folder of its own, by default beside the index: hard links need the same file system. */
const room = await mkdtemp(join(values.beside ?? dirname(original), "live-bench-"));
const copy = join(room, "index");
const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });

const summary = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    msWorst: sorted.at(-1),
    times: times.length,
  };
};

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const begun = performance.now();
  const result = await work();
  return { ms: performance.now() - begun, result };
}

/** Documents of the first ten answers to the question that this document alone answers. */
async function found(index: Index, id: string): Promise<Set<string>> {
  const { answers } = await index.ask(`who keeps the lighthouse of ${id}?`, { topK: 10 });
  return new Set(answers.map(({ documentId }) => documentId));
}

async function addAndDelete(writer: Writer, index: Index): Promise<void> {
  const added: number[] = [];
  const deleted: number[] = [];
  let notFound = 0;
  let stillThere = 0;
  for (let n = -2; n < adds; n++) {
    const id = `bench-${n + 2}`;
    const publish = async (): Promise<Set<string>> => {
      await index.refresh({ atLeastVersion: await writer.commit() });
      return found(index, id);
    };
    const add = await timed(async () => {
      await writer.add([pagesOf(id)]);
      return publish();
    });
    const gone = await timed(async () => {
      await writer.delete([id]);
      return publish();
    });
    if (n < 0) continue; // warm-up
    added.push(add.ms);
    deleted.push(gone.ms);
    if (!add.result.has(id)) notFound++;
    if (gone.result.has(id)) stillThere++;
  }
  await record("live-index", { what: "add", ...summary(added), notAmongTheFirstTen: notFound });
  await record("live-index", { what: "delete", ...summary(deleted), stillThere });
}

async function askWhileMerging(writer: Writer, index: Index): Promise<void> {
  for (const question of questions.slice(0, 20)) await index.ask(question);
  const idle: number[] = [];
  for (const question of questions) idle.push((await timed(() => index.ask(question))).ms);
  const merging: number[] = [];
  let done = false;
  const merge = timed(() => writer.compact({ full: true })).finally(() => {
    done = true;
  });
  for (let n = 0; !done; n++) {
    merging.push((await timed(() => index.ask(questions[n % questions.length]!))).ms);
    await new Promise(setImmediate);
  }
  const { ms, result } = await merge;
  const before = summary(idle);
  const during = summary(merging);
  await record("live-index", { what: "idle", ...before });
  await record("live-index", {
    what: "merging",
    ...during,
    p99OfIdle: during.msP99 / before.msP99,
    segments: result.segmentsBefore,
    mergedMB: result.bytesBefore / 1e6,
    mergeSeconds: ms / 1000,
  });
}

async function recover(): Promise<void> {
  const script = fileURLToPath(new URL("./support/unfinished-writer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, copy, values.model ?? ""], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("The writer ended before it was killed."))),
  ]);
  child.kill("SIGKILL");
  await once(child, "close");
  const storage = new FileStorage(copy);
  const writer = await timed(() => openWriter({ storage, encoder }));
  const reader = await timed(() => openIndex({ storage, encoder }));
  await reader.result.close();
  await writer.result.close();
  await record("live-index", { what: "recover", writerMs: writer.ms, readerMs: reader.ms });
}

try {
  await snapshotIndex(new FileStorage(original), new FileStorage(copy), { verify: false });
  await recover();
  const storage = new FileStorage(copy);
  const writer = await openWriter({ storage, encoder });
  const index = await openIndex({ storage, encoder });
  await addAndDelete(writer, index);
  await writer.add([pagesOf("merged")]); // two segments at least, or there is nothing to merge
  await index.refresh({ atLeastVersion: await writer.commit() });
  await askWhileMerging(writer, index);
  await index.close();
  await writer.close();
  const check = await timed(() => checkFolder(copy));
  if (!check.result.ok) throw new Error(`The copy is damaged: ${check.result.problems.join("; ")}`);
  const megabytes = check.result.bytes / 1e6;
  await record("live-index", { what: "check", megabytesPerSecond: (megabytes / check.ms) * 1000, megabytes });
} finally {
  await rm(room, { recursive: true, force: true });
  await encoder.close();
}
