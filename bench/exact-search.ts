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
import { openEncoder } from "../adapters/node/encoder/encoder.js";
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

const residentBefore = process.memoryUsage.rss();
const began = performance.now();
for (const segment of snapshot.segments.keys()) await session.bounds(segment);
const boundsSeconds = (performance.now() - began) / 1000;
const boundsMB = Math.round((process.memoryUsage.rss() - residentBefore) / 1e6);

interface Way {
  name: string;
  options: Partial<SearchOptions>;
  questions: number;
  times: number[];
  scored: number[];
  right: number;
  /** Of each question: texts, places and scores. */
  answers: string[];
}
const way = (name: string, options: Partial<SearchOptions>, count = questions.length): Way => {
  const least = Math.min(count, questions.length);
  return { name, options: { ...options, topK }, questions: least, times: [], scored: [], right: 0, answers: [] };
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
    const { answers, tookMs } = await search(session, question, one.options);
    one.times.push(tookMs);
    one.right += exactMatch(answers[0]?.text ?? "", questions[n]!.answers);
    one.answers.push(
      JSON.stringify(answers.map(({ documentId, start, end, score }) => [documentId, start, end, score])),
    );
    one.scored.push((await findSpans(session, question, one.options)).scored);
  }
}
const oracle = ways.at(-1)!.answers;
for (const { name, questions: asked, times, scored, right, answers } of ways) {
  const sorted = [...times].sort((a, b) => a - b);
  await record("exact-search", {
    way: name,
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
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
    ...(name === "hybrid, exact" ? { boundsSeconds, boundsMB } : {}),
  });
}
await close();
await encoder.close();
