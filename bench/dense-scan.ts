/**
 * How much faster is the dense stage with inverted lists, and what does it miss? Compares a full
 * scan with lists in one run.
 *
 *     npx tsx bench/dense-scan.ts --index DIR --questions questions.jsonl [--count 200] [--k 500] [--shares 0.0625,0.125]
 *
 * Each question is scanned both ways in turn, after a warm-up round. recall: share of the k best
 * rows of the full scan that the lists also find, by the share of rows scanned; milliseconds:
 * medians; ratio: of the medians in this run. One thread.
 */

import { parseArgs } from "node:util";
import { openDenseRows, probing } from "./support/dense-rows.js";
import { percentile } from "./support/results.js";

const { values: flags } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    model: { type: "string" },
    count: { type: "string", default: "200" },
    k: { type: "string", default: "500" },
    shares: { type: "string", default: "0.03125,0.0625,0.125,0.25" },
  },
});
if (flags.index === undefined || flags.questions === undefined) {
  console.error("usage: dense-scan --index DIR --questions FILE [--count N] [--k N] [--shares A,B] [--model DIR]");
  process.exit(2);
}
const k = Number(flags.k);
const count = Number(flags.count);
const { index, questions, model } = flags;
const opened = await openDenseRows({ index, questions, count, model });
const { session, parts, rows, queries, loadMs, close } = opened;
const { kernel } = session;

const shares = flags.shares.split(",").map(Number);
const whole: number[] = [];
const probed = shares.map(() => ({ ms: [] as number[], found: 0 }));
for (const query of queries.slice(0, 10)) kernel.scanTopK(parts, query, k);
for (const query of queries) {
  let began = performance.now();
  const best = new Set(kernel.scanTopK(parts, query, k).rows);
  whole.push(performance.now() - began);
  for (const [s, share] of shares.entries()) {
    began = performance.now();
    const top = kernel.scanTopK(probing(opened, query, share), query, k);
    probed[s]!.ms.push(performance.now() - began);
    probed[s]!.found += top.rows.filter((row) => best.has(row)).length;
  }
}
const median = (list: number[]): number =>
  percentile(
    list.sort((a, b) => a - b),
    0.5,
  );
const wholeMs = median(whole);
const figures = { kernel: kernel.name, rows, queries: queries.length, k, loadMs: Math.round(loadMs) };
console.log(JSON.stringify({ ...figures, wholeMs }));
for (const [s, share] of shares.entries()) {
  const ms = median(probed[s]!.ms);
  const recall = probed[s]!.found / (queries.length * Math.min(k, rows));
  console.log(JSON.stringify({ share, ms, ratio: wholeMs / ms, recall }));
}
await close();
