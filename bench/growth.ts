/**
 * How do time, memory, size and exact match change as an index grows from 1,000 to 100,000
 * documents?
 *
 *     npm run bench -- growth --corpus FILE.jsonl --questions SQUAD.json [--sizes 1000,10000] [--index SIZE=DIR]… [--folder DIR]
 *                             [--count 300] [--seed 1] [--threads N] [--model DIR]
 *
 * The SQUAD file's paragraphs are indexed first, then the corpus's first SIZE lines. One index
 * grows from size to size. A size with an existing index (`--index 100000=DIR`) is not built; its
 * exact match is omitted if it does not contain the paragraphs. Each index is queried in its own
 * process with one thread (bench/support/ask-index.mjs), so that resident memory is that of
 * answering only; on a busy machine processor time is more meaningful than elapsed time. `--folder`
 * keeps the index and resumes with it.
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

/** Lines `from` … `to` − 1 of the corpus. @throws Error if it has fewer */
async function linesOf(path: string, from: number, to: number): Promise<string[]> {
  const lines: string[] = [];
  let n = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (n >= to) break;
    if (n++ >= from) lines.push(line);
  }
  if (n < to) throw new Error(`${path} has ${n} documents; ${to} were requested.`);
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

const script = fileURLToPath(new URL("support/ask-index.mjs", import.meta.url));
async function ask(index: string): Promise<Record<string, unknown>> {
  const args = [script, index, questions!, values.count, values.seed, model ?? ""];
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
