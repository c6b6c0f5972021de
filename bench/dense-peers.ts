/**
 * How fast, complete and compact is the dense stage compared with faiss and usearch on the same
 * vectors?
 *
 *     pip install faiss-cpu usearch
 *     npm run bench -- dense-peers --index DIR --questions FILE --python PYTHON [--graphs] [--count 200] [--k 100] [--shares 0.0625,0.125] [--model DIR]
 *
 * The vectors are those that the dense stage scans: the first `coarse` dimensions of every start
 * vector, int8, and of the questions, int16. recall: share of the k best rows of an exact scan. One
 * thread, one question at a time, both in one run, ours first. faiss stores floats for Flat and 8
 * bits for SQ8, and uses the same number of lists. Graphs (HNSW of faiss and usearch) take minutes
 * to build for millions of rows and need `--graphs`.
 */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { TopRows } from "../src/kernel/kernel.js";
import { openDenseRows, probing } from "./support/dense-rows.js";
import { percentile, record } from "./support/results.js";
import { runPeer } from "./support/run-peer.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    python: { type: "string" },
    model: { type: "string" },
    graphs: { type: "boolean", default: false },
    count: { type: "string", default: "200" },
    k: { type: "string", default: "100" },
    shares: { type: "string", default: "0.015625,0.03125,0.046875,0.0625,0.125" },
  },
});
if (values.index === undefined || values.questions === undefined || values.python === undefined) {
  console.error(
    "usage: npm run bench -- dense-peers --index DIR --questions FILE --python PYTHON [--graphs] [--count N] [--k N] [--shares A,B] [--model DIR]",
  );
  process.exit(2);
}
const k = Number(values.k);
const { index, questions, model, python } = values;
const opened = await openDenseRows({ index, questions, count: Number(values.count), model });
const { session, snapshot, parts, rows, dimensions, queries, close } = opened;
const { kernel } = session;
const folder = await mkdtemp(join(tmpdir(), "verbatim-dense-"));
try {
  const file = createWriteStream(join(folder, "rows.i8"));
  for (const segment of snapshot.segments) await segment.readCoarse((_, some) => file.write(some.slice()));
  file.end();
  await once(file, "close");

  const best = queries.map((query) => kernel.scanTopK(parts, query, k).rows);
  const about = { rows, dimensions, k, questions: queries.length };

  const measure = async (setting: object, share?: number): Promise<void> => {
    const scan = (query: Int16Array): TopRows =>
      kernel.scanTopK(share === undefined ? parts : probing(opened, query, share), query, k);
    for (const query of queries.slice(0, 10)) scan(query);
    const times: number[] = [];
    let found = 0;
    for (const [n, query] of queries.entries()) {
      const began = performance.now();
      const top = scan(query);
      times.push(performance.now() - began);
      const right = new Set(best[n]);
      found += top.rows.filter((row) => right.has(row)).length;
    }
    const msP50 = percentile(
      times.sort((a, b) => a - b),
      0.5,
    );
    await record("dense-peers", { ...about, ...setting, msP50, recall: found / (queries.length * k) });
  };
  await measure({ engine: "verbatim, all rows", bytesARow: dimensions });
  for (const share of values.shares.split(",").map(Number)) {
    await measure({ engine: "verbatim, lists", share, bytesARow: dimensions + 4 }, share);
  }

  const joined = (lists: ReadonlyArray<Int16Array | Uint32Array>): Buffer =>
    Buffer.concat(lists.map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)));
  await writeFile(join(folder, "queries.i16"), joined(queries));
  await writeFile(join(folder, "best.u32"), joined(best));
  const script = (name: string): string => fileURLToPath(new URL(`support/${name}`, import.meta.url));
  const args = [folder, String(dimensions), String(k)];
  const peers = [[script("faiss_scan.py"), ...args, ...(values.graphs ? ["graphs"] : [])]];
  if (values.graphs) peers.push([script("usearch_scan.py"), ...args]);
  for (const peer of peers) {
    for await (const line of runPeer(python, peer)) await record("dense-peers", { ...about, ...line });
  }
} finally {
  await rm(folder, { recursive: true, force: true });
  await close();
}
