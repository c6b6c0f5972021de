/** Open questions over an encyclopedia (SPARC table 1, SPARTA table 1). */

import { openSearcher } from "../../../adapters/node/open-searcher.js";
import { AnswerCeiling } from "../ceiling.js";
import { measuredWith, type PapersContext, type Table } from "../context.js";
import { type BuiltCorpus, buildCorpus, missingCorpus, openCorpus } from "../corpora.js";
import { differenceOf, meanOf } from "../figures.js";
import { OPEN_PEERS } from "../published-figures.js";
import {
  type AskedSystem,
  BM25_READER,
  DEFAULT_SYSTEM,
  figuresOf,
  type Judgements,
  judge,
  type QuestionSet,
  questionSet,
  rowOver,
  squadSet,
} from "../systems.js";
import type { Measured, Row } from "../types.js";

/** Questions of SQuAD dev in a full run, so that it fits into a night. */
const MAX_SQUAD_QUESTIONS = 2000;

const WAYS: readonly AskedSystem[] = [
  BM25_READER,
  DEFAULT_SYSTEM,
  { name: "hybrid, reader off", options: { strategy: "hybrid", reader: "off" } },
  { name: "sparse-first, reader off", options: { strategy: "sparse-first", reader: "off" } },
  { name: "dense-first, reader off", options: { strategy: "dense-first", reader: "off" } },
  { name: "sparta-reader, ten passages", options: { strategy: "sparta-reader", reader: "on" } },
];

export const open: Table = {
  name: "open",
  peers: OPEN_PEERS,
  async measure(context) {
    const corpus = await buildCorpus(openCorpus(context.largest), context);
    const rows: Row[] = [];
    for (const set of await questionSets(corpus, context)) rows.push(...(await measureSet(set, { corpus, context })));
    return rows;
  },
  async notMeasured(context) {
    return missingCorpus(openCorpus, context);
  },
};

/** Sets whose answers may be missing from a corpus: the ceiling says how many are. */
const OTHER_SETS = [
  ["NQ-open", "nq"],
  ["WebQuestions", "webquestions"],
  ["CuratedTREC", "curatedtrec"],
] as const;

async function questionSets(corpus: BuiltCorpus, context: PapersContext): Promise<QuestionSet[]> {
  const { data, sample, questions } = context;
  const limits = { sample, questions };
  const sets = [await squadSet(corpus, { most: MAX_SQUAD_QUESTIONS, ...limits })];
  for (const [name, file] of OTHER_SETS) sets.push(questionSet(name, await data.text(file), limits));
  return sets;
}

async function measureSet(
  set: QuestionSet,
  { corpus, context }: { corpus: BuiltCorpus; context: PapersContext },
): Promise<Row[]> {
  const row = rowOver(corpus, set);
  const rows: Row[] = [];
  let peer: Judgements | undefined;
  for (const way of WAYS) {
    const part = `open/${set.name}/${way.name}`.replaceAll(" ", "-");
    const judgements = await judge(way, { part, set, corpus, context });
    peer ??= judgements;
    const figures = figuresOf(judgements);
    if (judgements !== peer) figures["EM above BM25 + reader"] = differenceOf(judgements.em, peer.em);
    rows.push(row(way.name, judgements.measured, figures));
  }
  const { found, measured } = await answersInCorpus(set, { corpus, context });
  rows.push(row("ceiling: an answer is in the corpus", measured, { EM: meanOf(found.map(Number), 100) }));
  return rows;
}

async function answersInCorpus(
  set: QuestionSet,
  { corpus, context }: { corpus: BuiltCorpus; context: PapersContext },
): Promise<{ found: boolean[]; measured: Measured }> {
  const inputs = { ids: set.questions.map(({ id }) => id), corpus: corpus.index, passages: corpus.passages };
  return context.parts.part(`open/${set.name}/ceiling`.replaceAll(" ", "-"), inputs, async () => {
    context.log(`${corpus.name}, ${set.name}: ceiling`);
    const ceiling = new AnswerCeiling(set.questions);
    const { snapshot, close } = await openSearcher(corpus.index, await context.models.encoder());
    try {
      for (const segment of snapshot.segments) {
        for (let n = 0; n < segment.documentCount; n++) {
          context.io.signal.throwIfAborted();
          const { length } = await segment.readDocument(n);
          ceiling.add(await segment.readText(n, 0, length));
        }
      }
    } finally {
      await close();
    }
    return { found: ceiling.found, measured: measuredWith("none", context) };
  });
}
