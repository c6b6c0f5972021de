/**
 * How long does one question take on an open index with the model loaded, and in which step?
 *
 *     npm run bench -- ask-latency --index DIR --questions FILE [--count 300] [--seed 1] [--model DIR] [--strategies A,B]
 *
 * Strategies alternate question by question in one run after a warm-up, and each goes first equally
 * often. Each line has p50, p99 and the share of every step. Like the command line and the server
 * it requests answers, without a list of ranked passages. `--strategies hybrid` measures one
 * strategy alone, without the others evicting its data from the CPU caches.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import type { StrategyName } from "../src/search/strategies/names.js";
import type { StepTimes } from "../src/search/types.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
    strategies: { type: "string", default: "sparse-first,dense-first,hybrid" },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- ask-latency --index DIR --questions FILE [--count N] [--seed N] [--model DIR]",
  );
  process.exit(2);
}
const STRATEGIES = values.strategies.split(",") as StrategyName[];
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = draw(all, Number(values.count), Number(values.seed)).map(({ question }) => question);
const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const opening = performance.now();
const index = await openIndex({ path: values.index, encoder });
const openMs = performance.now() - opening;
await index.warmUp();
const prepareMs = performance.now() - opening - openMs;
for (const question of questions.slice(0, 20))
  for (const strategy of STRATEGIES) await index.ask(question, { strategy, advanced: { rankedPassages: 0 } });

const times = new Map<StrategyName, number[]>(STRATEGIES.map((strategy) => [strategy, []]));
const steps = new Map<StrategyName, StepTimes[]>(STRATEGIES.map((strategy) => [strategy, []]));
for (const [n, question] of questions.entries()) {
  // the first strategy reads the postings for the others, so every strategy is first equally often
  for (let i = 0; i < STRATEGIES.length; i++) {
    const strategy = STRATEGIES[(n + i) % STRATEGIES.length]!;
    const result = await index.ask(question, { strategy, advanced: { rankedPassages: 0 } });
    times.get(strategy)!.push(result.tookMs);
    steps.get(strategy)!.push(result.steps);
  }
}
const { info } = index;
for (const strategy of STRATEGIES) {
  const sorted = times.get(strategy)!.sort((a, b) => a - b);
  const total = sorted.reduce((sum, ms) => sum + ms, 0);
  const share = Object.fromEntries(
    (Object.keys(steps.get(strategy)![0]!) as Array<keyof StepTimes>).map((step) => {
      const spent = steps.get(strategy)!.reduce((sum, one) => sum + one[step], 0);
      return [step, Math.round((1000 * spent) / total) / 10];
    }),
  );
  await record("ask-latency", {
    strategy,
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    stepShare: share,
    questions: questions.length,
    documents: info.documents,
    passages: info.passages,
    phrases: info.phrases,
    segments: info.segments,
    openMs,
    prepareMs,
    residentMB: Math.round(process.memoryUsage.rss() / 1e6),
  });
}
await index.close();
await encoder.close();
