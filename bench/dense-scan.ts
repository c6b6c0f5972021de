/**
 * What do lists give the dense stage, and what do they miss? The same start rows and questions, scanned whole and by lists, in one run.
 *
 *     npx tsx bench/dense-scan.ts --index DIR --questions questions.jsonl [--count 200] [--k 500] [--shares 0.0625,0.125]
 *
 * Each question is scanned both ways in turn, after a round that warms up. recall: share of the k best rows of the whole scan that the lists
 * give too, by the share of rows that is looked at; milliseconds: medians; ratio: of the medians in this run. One thread.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/encoder/encoder.js";
import { openSession } from "../adapters/node/open-session.js";
import { drawQuestions, parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { centroidsFrom } from "../src/math/centroids.js";
import type { ScanPart } from "../src/math/kernel.js";
import { prepareQuestion } from "../src/search/prepare.js";

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
const encoder = await openEncoder({ modelFolder: flags.model, threads: 1 });
const { info: model } = encoder;
if (model.coarseCentroids === undefined) throw new Error("The model has no centroids: scripts/learn-centroids.ts");
const centroids = centroidsFrom(model.coarseCentroids, model.coarse);
const { session, snapshot, close } = await openSession(flags.index, encoder, { listedRows: 0 });
const { kernel } = session;
const parts: ScanPart[] = [];
const loadBegan = performance.now();
for (const [number] of snapshot.segments.entries()) {
  parts.push({ matrix: await session.coarseMatrix(number), firstRow: session.numbering.firstRows[number]! });
}
const loadMs = performance.now() - loadBegan;
const all = parseOpenQuestions(await readFile(flags.questions, "utf8"), flags.questions);
const queries: Int16Array[] = [];
for (const { question } of drawQuestions(all, Number(flags.count), 1)) {
  queries.push(prepareQuestion(await encoder.encodeQuestion(question), session).coarse.slice());
}
await encoder.close();

const shares = flags.shares.split(",").map(Number);
const whole: number[] = [];
const best: Array<Set<number>> = [];
for (const [n, query] of [...queries.slice(0, 10), ...queries].entries()) {
  const began = performance.now();
  const { rows } = kernel.scanTopK(parts, query, k);
  if (n < 10) continue;
  whole.push(performance.now() - began);
  best.push(new Set(rows));
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
    const { rows } = kernel.scanTopK(parts, query, k, { centroids, share });
    probed[s]!.ms.push(performance.now() - began);
    probed[s]!.found += rows.filter((row) => best[n]!.has(row)).length;
  }
}
const median = (list: number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1]!;
const wholeMs = median(whole);
const rows = session.numbering.firstRows.at(-1)!;
const wholeInListsMs = median(wholeAgain);
const figures = { kernel: kernel.name, rows, queries: queries.length, k, loadMs: Math.round(loadMs), arrangeMs };
console.log(JSON.stringify({ ...figures, wholeMs, wholeInListsMs }));
for (const [s, share] of shares.entries()) {
  const ms = median(probed[s]!.ms);
  const recall = probed[s]!.found / (queries.length * Math.min(k, rows));
  console.log(JSON.stringify({ share, ms, ratio: wholeInListsMs / ms, recall }));
}
await close();
