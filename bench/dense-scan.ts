/**
 * What do lists give the dense stage, and what do they miss? The same start rows and questions, scanned whole and by lists, in one run.
 *
 *     npx tsx bench/dense-scan.ts --index DIR --questions questions.jsonl [--count 200] [--k 500] [--shares 0.0625,0.125]
 *
 * Each question is scanned both ways in turn, after a round that warms up. recall: share of the k best rows of the whole scan that the lists
 * give too, by the share of rows that is looked at; milliseconds: medians; ratio: of the medians in this run. One thread.
 */

import { parseArgs } from "node:util";
import { openDenseRows } from "./support/dense-rows.js";
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
const { session, parts, rows, centroids, queries, loadMs, close } = await openDenseRows({
  index,
  questions,
  count,
  model,
});
const { kernel } = session;

const shares = flags.shares.split(",").map(Number);
const whole: number[] = [];
const best: Array<Set<number>> = [];
for (const [n, query] of [...queries.slice(0, 10), ...queries].entries()) {
  const began = performance.now();
  const top = kernel.scanTopK(parts, query, k);
  if (n < 10) continue;
  whole.push(performance.now() - began);
  best.push(new Set(top.rows));
}
const arrangeBegan = performance.now();
await session.arrange();
const arrangeMs = Math.round(performance.now() - arrangeBegan);
const wholeAgain: number[] = [];
const probed = shares.map(() => ({ ms: [] as number[], found: 0 }));
for (const [n, query] of queries.entries()) {
  let began = performance.now();
  kernel.scanTopK(parts, query, k);
  wholeAgain.push(performance.now() - began);
  for (const [s, share] of shares.entries()) {
    began = performance.now();
    const top = kernel.scanTopK(parts, query, k, { centroids, share });
    probed[s]!.ms.push(performance.now() - began);
    probed[s]!.found += top.rows.filter((row) => best[n]!.has(row)).length;
  }
}
const median = (list: number[]): number =>
  percentile(
    list.sort((a, b) => a - b),
    0.5,
  );
const wholeMs = median(whole);
const wholeInListsMs = median(wholeAgain);
const figures = { kernel: kernel.name, rows, queries: queries.length, k, loadMs: Math.round(loadMs), arrangeMs };
console.log(JSON.stringify({ ...figures, wholeMs, wholeInListsMs }));
for (const [s, share] of shares.entries()) {
  const ms = median(probed[s]!.ms);
  const recall = probed[s]!.found / (queries.length * Math.min(k, rows));
  console.log(JSON.stringify({ share, ms, ratio: wholeInListsMs / ms, recall }));
}
await close();
