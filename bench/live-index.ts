/**
 * How much do changes to an index slow down questions? Runs on a copy (hard links), with the model
 * loaded.
 *
 *     npm run bench -- live-index --index DIR --questions FILE [--count 150] [--adds 20] [--merged 4800] [--model DIR] [--beside DIR] [--threads N]
 *
 *   add       from `add` of one document of two pages to an answer from it: encoded, committed with sync, refreshed, asked
 *   delete    from `delete` to a question whose answers lack it, and how often it was still found (must be 0)
 *   merge alone     eight segments with `--merged` documents in total become one, about the maximum of a background merge (256 MiB), without
 *                   questions: how long the thread is blocked (measured by a 1 ms timer, that millisecond included)
 *   idle, merging   a question before and after, and while the same thread repeats the merge
 *   recover   opening a writer and a reader after `kill -9` of a writer with uncommitted documents
 *
 * At the end every byte of the copy is checked.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkFolder } from "../adapters/node/check/check-threads.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { FileStorage } from "../adapters/node/storage/file-storage.js";
import type { Index } from "../src/api/index-handle.js";
import { openIndex } from "../src/api/open-index.js";
import { openWriter, type Writer } from "../src/api/writer.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import { snapshotIndex } from "../src/index/maintain/snapshot.js";
import { pagesOf } from "./support/pages.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "150" },
    adds: { type: "string", default: "20" },
    merged: { type: "string", default: "4800" },
    model: { type: "string" },
    beside: { type: "string" },
    threads: { type: "string" }, // encoder threads; default: one per core
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- live-index --index DIR --questions FILE [--count N] [--adds N] [--merged N] [--model DIR] [--beside DIR] [--threads N]",
  );
  process.exit(2);
}
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = Array.from({ length: Number(values.count) }, (_, n) => all[n % all.length]!.question);
const adds = Number(values.adds);
const original = resolve(values.index);
/** A folder next to the index by default, because hard links need the same file system. */
const room = await mkdtemp(join(values.beside ?? dirname(original), "live-bench-"));
const copy = join(room, "index");
const threads = values.threads === undefined ? undefined : Number(values.threads);
const encoder = await openEncoder({ modelFolder: values.model, threads });

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

/** Document ids of the first ten answers to a question that only this document answers. */
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
  await record("live-index", {
    what: "add",
    threads: threads ?? "one per core",
    ...summary(added),
    notAmongTheFirstTen: notFound,
  });
  await record("live-index", { what: "delete", ...summary(deleted), stillThere });
}

const SEGMENTS = 8;
/** Maximum size of a background merge (src/index/write/writer-merges.ts). */
const MERGE_BYTES = 256 * 1024 * 1024;

/**
 * Creates segments from existing documents under new ids, without encoding. @param round makes the
 * ids unique
 */
async function makeSegments(writer: Writer, round: string, segments = SEGMENTS): Promise<void> {
  const ids: string[] = [];
  for await (const { id } of writer.documents()) if (!id.startsWith("bench-")) ids.push(id);
  const chosen = ids.slice(-Number(values.merged)); // in later rounds those of the previous one, which are last
  const renamed = (id: string) => `${round}/${id.replace(/^round-\d\//, "")}`;
  for (let n = 0; n < segments; n++) {
    const share = chosen.filter((_, i) => i % segments === n);
    await writer.move(share.map((from) => ({ from, to: { id: renamed(from), source: renamed(from) } })));
    await writer.commit();
  }
}

async function mergeAlone(writer: Writer): Promise<void> {
  await makeSegments(writer, "round-0", 1); // later segments are made from these documents only
  await makeSegments(writer, "round-1");
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const { ms, result } = await timed(() => writer.compact({ maxBytes: MERGE_BYTES }));
  held.disable();
  await record("live-index", {
    what: "merge alone",
    heldMsP50: held.percentile(50) / 1e6,
    heldMsP99: held.percentile(99) / 1e6,
    heldMsWorst: held.max / 1e6,
    mergedSegments: result.merged,
    mergeSeconds: ms / 1000,
  });
}

async function askAll(index: Index): Promise<number[]> {
  const times: number[] = [];
  for (const question of questions) times.push((await timed(() => index.ask(question))).ms);
  return times;
}

async function askWhileMerging(writer: Writer, index: Index): Promise<void> {
  await mergeAlone(writer);
  await makeSegments(writer, "round-2");
  await index.refresh({ atLeastVersion: writer.version });
  for (const question of questions.slice(0, 20)) await index.ask(question);
  const before = await askAll(index);
  const merging: number[] = [];
  let done = false;
  const merge = timed(() => writer.compact({ maxBytes: MERGE_BYTES })).finally(() => {
    done = true;
  });
  for (let n = 0; !done; n++) {
    merging.push((await timed(() => index.ask(questions[n % questions.length]!))).ms);
    await new Promise(setImmediate);
  }
  const { ms, result } = await merge;
  const idle = summary([...before, ...(await askAll(index))]);
  const during = summary(merging);
  await record("live-index", { what: "idle", ...idle });
  await record("live-index", {
    what: "merging",
    ...during,
    p99OfIdle: during.msP99 / idle.msP99,
    mergedSegments: result.merged,
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
  const writer = await openWriter({ storage, encoder, autoMerge: false }); // merges are started explicitly
  const index = await openIndex({ storage, encoder });
  await addAndDelete(writer, index);
  await askWhileMerging(writer, index);
  await index.close();
  await writer.close();
  const { ok, problems } = await checkFolder(copy);
  if (!ok) throw new Error(`The copy is damaged: ${problems.join("; ")}`);
} finally {
  await rm(room, { recursive: true, force: true });
  await encoder.close();
}
