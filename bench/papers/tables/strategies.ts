/** Time against exact match for every strategy (SPARC table 5). */

import type { Table } from "../context.js";
import { buildCorpus, missingCorpus, openCorpus } from "../corpora.js";
import { STRATEGY_PEERS } from "../published-figures.js";
import { type AskedSystem, BM25_READER, DEFAULT_SYSTEM, figuresOf, judge, rowOver, squadSet } from "../systems.js";
import type { Row } from "../types.js";

const QUESTIONS = 1000;

const off = (strategy: "hybrid" | "sparse-first" | "dense-first", candidates: number): AskedSystem => ({
  name: `${strategy}, ${candidates} candidates`,
  options: { strategy, reader: "off", advanced: { candidates } },
});
const on = (readerPassages: number): AskedSystem => ({
  name: `hybrid, reader on ${readerPassages} passages`,
  options: { strategy: "hybrid", reader: "on", advanced: { readerPassages } },
});
const sparta = (readerPassages: number): AskedSystem => ({
  name: `sparta-reader, ${readerPassages} passages`,
  options: { strategy: "sparta-reader", reader: "on", advanced: { readerPassages } },
});

const WAYS: readonly AskedSystem[] = [
  ...[5, 20, 100].map((count) => off("hybrid", count)),
  ...[5, 20, 100].map((count) => off("sparse-first", count)),
  ...[20, 100].map((count) => off("dense-first", count)),
  DEFAULT_SYSTEM,
  ...[1, 4, 10].map(on),
  ...[4, 10].map(sparta),
  BM25_READER,
];

export const strategies: Table = {
  name: "strategies",
  peers: STRATEGY_PEERS,
  async measure(context) {
    const corpus = await buildCorpus(openCorpus(context.largest), context);
    const { sample, questions } = context;
    const set = await squadSet(corpus, { most: QUESTIONS, sample, questions });
    const row = rowOver(corpus, set);
    const rows: Row[] = [];
    for (const way of WAYS) {
      const part = `strategies/${way.name}`.replaceAll(" ", "-");
      const judgements = await judge(way, { part, set, corpus, context });
      rows.push(row(way.name, judgements.measured, figuresOf(judgements)));
    }
    return rows;
  },
  async notMeasured(context) {
    return missingCorpus(openCorpus, context);
  },
};
