/**
 * What do 4-bit codes give the dense stage, and what do they miss? The same start rows and questions, scanned whole and by codes, in one run.
 *
 *     npx tsx bench/dense-scan.ts --index DIR --questions questions.jsonl [--count 200] [--k 500] [--times 1,8]
 *
 * Each question is scanned both ways in turn, after a round that warms up. recall: share of the k best rows of the whole scan that the codes
 * give too, by candidates (`--times` × k); milliseconds: medians; ratio: of the medians in this run. One thread.
 */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { drawQuestions } from "../adapters/cli/eval/open.js";
import { openEncoder } from "../adapters/node/encoder/encoder.js";
import { FileStorage } from "../adapters/node/storage.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { openSnapshot } from "../src/index/snapshot.js";
import { codebookFrom } from "../src/math/codebook.js";
import { createKernel, type ScanPart } from "../src/math/kernel.js";
import { prepareQuestion } from "../src/search/prepare.js";
import { SearchSession } from "../src/search/session.js";

const { values: flags } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    model: { type: "string" },
    count: { type: "string", default: "200" },
    k: { type: "string", default: "500" },
    times: { type: "string", default: "2,4,8,16" },
  },
});
if (flags.index === undefined || flags.questions === undefined) {
  console.error("usage: dense-scan --index DIR --questions FILE [--count N] [--k N] [--times A,B] [--model DIR]");
  process.exit(2);
}
const k = Number(flags.k);
const encoder = await openEncoder({ modelFolder: flags.model, threads: 1 });
const { info: model, tokenizer } = encoder;
if (model.coarseCodebook === undefined) throw new Error("The model has no codebook: scripts/learn-codebook.ts");
const codebook = codebookFrom(model.coarseCodebook, model.coarse);
const snapshot = await openSnapshot(new FileStorage(resolve(flags.index)), { expectModelHash: model.passageModelHash });
const kernel = createKernel();
const session = new SearchSession({ snapshot, kernel, model, tokenizer, codedRows: 0 });
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

const times = flags.times.split(",").map(Number);
const whole: number[] = [];
const coded = times.map(() => ({ ms: [] as number[], found: 0 }));
for (const round of ["warm", "timed"]) {
  for (const query of queries.slice(0, round === "warm" ? 10 : undefined)) {
    let began = performance.now();
    const exact = kernel.scanTopK(parts, query, k);
    if (round === "timed") whole.push(performance.now() - began);
    const best = new Set(exact.rows);
    for (const [n, factor] of times.entries()) {
      began = performance.now();
      const quick = kernel.scanTopK(parts, query, k, { codebook, candidates: factor * k });
      if (round === "warm") continue;
      coded[n]!.ms.push(performance.now() - began);
      coded[n]!.found += quick.rows.filter((row) => best.has(row)).length;
    }
  }
}
const median = (list: number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1]!;
const wholeMs = median(whole);
const rows = session.numbering.firstRows.at(-1)!;
console.log(
  JSON.stringify({ kernel: kernel.name, rows, queries: queries.length, k, loadMs: Math.round(loadMs), wholeMs }),
);
for (const [n, factor] of times.entries()) {
  const ms = median(coded[n]!.ms);
  const recall = coded[n]!.found / (queries.length * Math.min(k, rows));
  console.log(JSON.stringify({ candidates: factor * k, ms, ratio: wholeMs / ms, recall }));
}
session.close();
await snapshot.close();
