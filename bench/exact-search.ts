/**
 * What does certainty cost? `hybrid` with `exact` between plain `hybrid` and `exhaustive`, on the same questions in one run.
 *
 *     npm run bench -- exact-search --index DIR --questions FILE [--count 100] [--oracle 20] [--top-k 5] [--seed 1] [--model DIR]
 *
 * One thread, questions encoded before, answers read as text. `exhaustive` takes long, so it is asked `--oracle` of the questions; same answers: share of those
 * where all texts, places and scores are the same. Bounds are made before the clock runs, and timed by themselves.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openSession } from "../adapters/node/open-session.js";
import type { EncodedQuestion } from "../src/encode/types.js";
import { exactMatch } from "../src/evaluate/exact-match.js";
import { drawQuestions, parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { findSpans, search } from "../src/search/search.js";
import type { SearchOptions } from "../src/search/types.js";
import { percentile, record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "100" },
    oracle: { type: "string", default: "20" },
    "top-k": { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- exact-search --index DIR --questions FILE [--count N] [--oracle N] [--top-k N] [--seed N] [--model DIR]",
  );
  process.exit(2);
}
const topK = Number(values["top-k"]);
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = drawQuestions(all, Number(values.count), Number(values.seed));
const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const encoded: EncodedQuestion[] = [];
for (const { question } of questions) encoded.push(await encoder.encodeQuestion(question));
const { session, snapshot, close } = await openSession(values.index, encoder);

let lastCpu = process.cpuUsage();
const residentBefore = process.memoryUsage.rss();
const began = performance.now();
cpuMs();
for (const segment of snapshot.segments.keys()) await session.bounds(segment, 20);
const boundsSeconds = (performance.now() - began) / 1000;
const boundsCpuSeconds = cpuMs() / 1000;
const boundsMB = Math.round((process.memoryUsage.rss() - residentBefore) / 1e6);

/** Milliseconds of processor time since the last call: they say more than those of the clock where others are at work. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage(lastCpu);
  lastCpu = process.cpuUsage();
  return (user + system) / 1000;
}

interface Way {
  name: string;
  options: Partial<SearchOptions>;
  questions: number;
  times: number[];
  cpu: number;
  scored: number[];
  right: number;
  /** Of each question: texts, places and scores. */
  answers: string[];
}
const way = (name: string, options: Partial<SearchOptions>, count = questions.length): Way => {
  const least = Math.min(count, questions.length);
  return {
    name,
    options: { ...options, topK },
    questions: least,
    times: [],
    cpu: 0,
    scored: [],
    right: 0,
    answers: [],
  };
};
const ways = [
  way("hybrid", {}),
  way("hybrid, exact", { exact: true }),
  way("exhaustive", { strategy: "exhaustive" }, Number(values.oracle)),
];

for (const question of encoded.slice(0, 5))
  for (const { options } of ways.slice(0, 2)) await search(session, question, options);
for (const [n, question] of encoded.entries()) {
  for (const one of ways) {
    if (n >= one.questions) continue;
    cpuMs();
    const { answers, tookMs } = await search(session, question, one.options);
    one.cpu += cpuMs();
    one.times.push(tookMs);
    one.right += exactMatch(answers[0]?.text ?? "", questions[n]!.answers);
    one.answers.push(
      JSON.stringify(answers.map(({ documentId, start, end, score }) => [documentId, start, end, score])),
    );
    const isAll = one.options.strategy === "exhaustive";
    one.scored.push(isAll ? snapshot.passageCount : (await findSpans(session, question, one.options)).scored);
  }
}
const oracle = ways.at(-1)!.answers;
for (const { name, questions: asked, times, cpu, scored, right, answers } of ways) {
  const sorted = [...times].sort((a, b) => a - b);
  await record("exact-search", {
    way: name,
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    cpuMsMean: cpu / asked,
    scoredMean: scored.reduce((sum, count) => sum + count, 0) / asked,
    scoredP50: percentile(
      [...scored].sort((a, b) => a - b),
      0.5,
    ),
    exactMatch: (100 * right) / asked,
    sameAsExhaustive: oracle.filter((answer, n) => answers[n] === answer).length / oracle.length,
    comparedWith: oracle.length,
    topK,
    questions: asked,
    documents: snapshot.documentCount,
    passages: snapshot.passageCount,
    ...(name === "hybrid, exact" ? { boundsSeconds, boundsCpuSeconds, boundsMB } : {}),
  });
}
await close();
await encoder.close();
