/**
 * Chooses the weights λ of the score on development questions (bench/development/build.py), never on a measuring set.
 *
 *     npx tsx scripts/tune-weights.ts QUESTIONS --index DIR [--model DIR] [--limit N] [--strategy NAME]
 *
 * Every question is asked once with the current weights and many answers, which are then reordered
 * for each combination of factors on the weights. Prints exact match of the first answer for
 * each, best first. The current weights must not be 0, because their part could not be scaled.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { metricOf } from "../src/evaluate/answer-metric.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import type { StrategyName } from "../src/search/strategies/names.js";
import type { ScoreParts } from "../src/search/types.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: "string" },
    model: { type: "string" },
    limit: { type: "string", default: "1000" },
    strategy: { type: "string", default: "hybrid" },
  },
});
const [path] = positionals;
if (path === undefined || values.index === undefined) {
  console.error("usage: tune-weights QUESTIONS --index DIR [--model DIR] [--limit N] [--strategy NAME]");
  process.exit(2);
}

const FACTORS = {
  ngram: [0, 0.5, 0.75, 1, 1.25, 1.5],
  terms: [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3],
  tfidf: [0, 0.25, 0.5, 1, 2, 4],
  vector: [0, 0.5, 1, 1.5],
};
type Factors = Record<keyof typeof FACTORS, number>;

const all = parseOpenQuestions(await readFile(path, "utf8"), path);
const questions = draw(all, Number(values.limit), 1);
const encoder = await openEncoder({ modelFolder: values.model, index: values.index, threads: 1 });
const index = await openIndex({ path: values.index, encoder });
const asked: Array<Array<{ parts: ScoreParts; right: number }>> = [];
for (const { question, answers: golds, language = "en" } of questions) {
  const strategy = values.strategy as StrategyName;
  const { answers } = await index.ask(question, { topK: 60, minConfidence: 0, explain: true, strategy });
  asked.push(answers.map(({ text, parts }) => ({ parts: parts!, right: metricOf(language).exactMatch(text, golds) })));
}

/** Percentage of questions whose best answer is right if the parts of all scores are multiplied by the factors. */
function exactMatchOf(factors: Factors): number {
  const scoreOf = ({ dense, ngram, terms, tfidf, vector }: ScoreParts): number =>
    dense + factors.ngram * ngram + factors.terms * terms + factors.tfidf * tfidf + factors.vector * vector;
  let right = 0;
  for (const answers of asked) {
    let best = { score: Number.NEGATIVE_INFINITY, right: 0 };
    for (const answer of answers) {
      const score = scoreOf(answer.parts);
      if (score > best.score) best = { score, right: answer.right };
    }
    right += best.right;
  }
  return (100 * right) / asked.length;
}

const combinations: Factors[] = FACTORS.ngram.flatMap((ngram) =>
  FACTORS.terms.flatMap((terms) =>
    FACTORS.tfidf.flatMap((tfidf) => FACTORS.vector.map((vector) => ({ ngram, terms, tfidf, vector }))),
  ),
);
const rows = combinations.map((factors) => ({ ...factors, exactMatch: exactMatchOf(factors) }));
rows.sort((a, b) => b.exactMatch - a.exactMatch);
const found = asked.filter((answers) => answers.some((answer) => answer.right === 1)).length;
console.log(
  JSON.stringify({ questions: asked.length, answerAmong60: found / asked.length, weights: encoder.info.weights }),
);
for (const row of rows.slice(0, 25)) console.log(JSON.stringify(row));
await index.close();
await encoder.close();
