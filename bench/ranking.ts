/**
 * How well are documents ranked for questions that are reserved for measuring? nDCG@10 over medical questions, meetings,
 * FAQs, contracts and privacy policies.
 *
 *     python bench/ranking/sets.py --data DATA --out SETS
 *     python bench/ranking/base_vectors.py SETS/faq --model DIR --out SETS/faq/base.json        (and the others)
 *     verbatim index SETS/faq/corpus.jsonl --format jsonl --index INDEXES/faq                   (and the others)
 *     npm run bench -- ranking --sets SETS --indexes INDEXES [--part measure|development] [--model DIR]
 *
 * Systems: the default ranking (documents by their best span), terms alone, tf-idf alone, BM25 over
 * title and text, and the mean-pooled sentence vector of the untouched base model (left out without
 * base.json). Questions about one contract or policy rank only its passages. Tune on `development`;
 * `measure` is for reporting.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import type { Encoder } from "../src/encode/types.js";
import { measureRankings, RANKINGS, type Ranking, type Run } from "./ranking/measure.js";
import { RANKING_SETS, type RankingPart, readRankingSet } from "./ranking/ranking-set.js";

const { values } = parseArgs({
  options: {
    sets: { type: "string" },
    indexes: { type: "string" },
    part: { type: "string", default: "measure" },
    model: { type: "string" },
  },
});
const { sets, indexes, part } = values;
if (sets === undefined || indexes === undefined || !(part === "measure" || part === "development")) {
  console.error("usage: npm run bench -- ranking --sets DIR --indexes DIR [--part measure|development] [--model DIR]");
  process.exit(2);
}

const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const figures: Record<string, Partial<Record<Ranking, number>>> = {};
let questions = 0;
for (const name of RANKING_SETS) {
  const measured = await measureSet(join(sets, name), { index: join(indexes, name), encoder, part });
  questions += measured.questions;
  figures[name] = measured.figures;
}
await encoder.close();
const means = Object.fromEntries(
  RANKINGS.map((ranking) => [ranking, meanOf(RANKING_SETS.map((name) => figures[name]![ranking]))]),
);
console.log(JSON.stringify({ part, questions, means, figures }));

async function measureSet(folder: string, options: { index: string; encoder: Encoder; part: RankingPart }) {
  const set = await readRankingSet(folder, options.part);
  const run = join(folder, "base.json");
  const base = existsSync(run) ? (JSON.parse(await readFile(run, "utf8")) as Run) : undefined;
  const gains = await measureRankings(set, { ...options, base });
  return {
    questions: set.queries.length,
    figures: Object.fromEntries(RANKINGS.map((ranking) => [ranking, meanOf(gains.get(ranking) ?? [])])),
  };
}

/** undefined without figures; rounded to four digits. */
function meanOf(numbers: ReadonlyArray<number | undefined>): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  if (known.length === 0) return undefined;
  return Math.round((1e4 * known.reduce((sum, number) => sum + number, 0)) / known.length) / 1e4;
}
