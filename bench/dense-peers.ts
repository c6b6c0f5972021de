/**
 * How fast, complete and compact is the scan of passage vectors compared with faiss and usearch on
 * the same vectors?
 *
 *     pip install faiss-cpu usearch
 *     npm run bench -- dense-peers --index DIR --questions FILE --python PYTHON [--graphs] [--count 200] [--k 100] [--model DIR]
 *
 * The vectors of passages are int8, those of questions int16. recall: share of the k best vectors of
 * an exact scan. One thread, one question at a time, both in one run, ours first. faiss stores floats
 * for Flat and 8 bits for SQ8. Graphs (HNSW of faiss and usearch) need `--graphs`.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureDenseRows, writeDenseRows } from "./support/dense-engines.js";
import { openDenseRows } from "./support/dense-rows.js";
import { record } from "./support/results.js";
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
  },
});
if (values.index === undefined || values.questions === undefined || values.python === undefined) {
  console.error(
    "usage: npm run bench -- dense-peers --index DIR --questions FILE --python PYTHON [--graphs] [--count N] [--k N] [--model DIR]",
  );
  process.exit(2);
}
const k = Number(values.k);
const { index, questions, model, python } = values;
const opened = await openDenseRows({ index, questions, count: Number(values.count), model });
const { rows, dimensions, queries, close } = opened;
const folder = await mkdtemp(join(tmpdir(), "verbatim-dense-"));
try {
  const about = { rows, dimensions, k, questions: queries.length };
  await record("dense-peers", { ...about, ...(await measureDenseRows(opened, k)) });
  await writeDenseRows(folder, opened, k);
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
