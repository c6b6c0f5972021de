/**
 * What becomes of an index that grows: time, memory, bytes and right answers at 1,000, 10,000 and 100,000 documents?
 *
 *     npm run bench -- growth --corpus FILE.jsonl --questions SQUAD.json [--sizes 1000,10000] [--index SIZE=DIR]… [--folder DIR]
 *                             [--count 300] [--seed 1] [--threads N] [--model DIR]
 *
 * The SQUAD file's paragraphs are planted first, then come the corpus's first SIZE lines: one index that grows from size to size, so what is measured of a
 * size is of all that came before it too. A size with an index of its own (`--index 100000=DIR`) is not built, only asked; its exact match is left
 * out where the paragraphs were not planted in it. An index is asked in a process of its own, one thread (bench/support/ask-index.ts): resident
 * memory is of answering alone, and processor time says more than the clock where others are at work. `--folder` keeps what was built, and goes on with it.
 */

import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { indexPaths } from "../adapters/node/ingest/index-paths.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    corpus: { type: "string" },
    questions: { type: "string" },
    sizes: { type: "string", default: "1000,10000" },
    index: { type: "string", multiple: true, default: [] },
    folder: { type: "string" },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    threads: { type: "string" },
    model: { type: "string" },
  },
});
const { corpus, questions, model } = values;
const given = new Map(values.index.map((pair) => [Number(pair.split("=")[0]), pair.slice(pair.indexOf("=") + 1)]));
const sizes = [...new Set([...values.sizes.split(",").map(Number), ...given.keys()])].sort((a, b) => a - b);
if (
  questions === undefined ||
  !sizes.every((size) => size >= 1) ||
  (corpus === undefined && sizes.length > given.size)
) {
  console.error(
    "usage: npm run bench -- growth --corpus FILE.jsonl --questions SQUAD.json [--sizes N,N] [--index SIZE=DIR]… [--folder DIR] [--count N] [--seed N] [--threads N] [--model DIR]",
  );
  process.exit(2);
}

interface Built {
  indexSeconds: number;
  tokensPerSecond: number;
  buildPeakMB: number;
}

/** Lines `from` … `to` − 1 of the corpus. @throws Error where it has fewer */
async function linesOf(path: string, from: number, to: number): Promise<string[]> {
  const lines: string[] = [];
  let n = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (n >= to) break;
    if (n++ >= from) lines.push(line);
  }
  if (n < to) throw new Error(`${path} has ${n} documents; ${to} were asked for.`);
  return lines;
}

async function grow(folder: string, onSize: (size: number, built: Built | undefined) => Promise<void>): Promise<void> {
  const index = join(folder, "index");
  const encoder = await openEncoder({
    modelFolder: model,
    ...(values.threads === undefined ? {} : { threads: Number(values.threads) }),
  });
  const all = { seconds: 0, tokens: 0 };
  const add = async (path: string, format: "squad" | "jsonl"): Promise<void> => {
    const { seconds, tokens } = await indexPaths([path], { index, format, encoder });
    all.seconds += seconds;
    all.tokens += tokens;
  };
  try {
    let before = 0;
    for (const size of sizes) {
      if (given.has(size)) {
        await onSize(size, undefined);
        continue;
      }
      if (before === 0) await add(questions!, "squad");
      const part = join(folder, `documents-${before}-${size}.jsonl`);
      await writeFile(part, `${(await linesOf(corpus!, before, size)).join("\n")}\n`);
      await add(part, "jsonl");
      await rm(part);
      before = size;
      await onSize(size, {
        indexSeconds: all.seconds,
        tokensPerSecond: Math.round(all.tokens / all.seconds),
        buildPeakMB: Math.round(process.resourceUsage().maxRSS / 1000),
      });
    }
  } finally {
    await encoder.close();
  }
}

const script = fileURLToPath(new URL("support/ask-index.ts", import.meta.url));
async function ask(index: string): Promise<Record<string, unknown>> {
  const args = ["--import", "tsx", script, index, questions!, values.count, values.seed, model ?? ""];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "verbatim-growth-")));
await mkdir(folder, { recursive: true });
try {
  await grow(folder, async (size, built) => {
    const index = given.get(size) ?? join(folder, "index");
    await record("growth", { size, ...built, ...(await ask(index)) });
  });
} finally {
  if (values.folder === undefined) await rm(folder, { recursive: true });
}
