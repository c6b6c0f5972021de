/** The same questions over growing corpora, with and without parts of the score (SPARC table 2). */

import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { encoderName, measuredWith, type PapersContext, type Table } from "../context.js";
import { type BuiltCorpus, buildCorpus, GROWING, isWithin } from "../corpora.js";
import { differenceOf, SEED } from "../figures.js";
import { type ParagraphRanks, paragraphFigures, paragraphRanks, SOURCES, type Source } from "../paragraph-ranks.js";
import { writeWhole } from "../part-store.js";
import { SCALING_PEERS } from "../published-figures.js";
import {
  type AskedSystem,
  figuresOf,
  type Judgements,
  judge,
  type QuestionSet,
  rowOver,
  squadSet,
} from "../systems.js";
import type { Figure, Measured, Row } from "../types.js";

const QUESTIONS = 1000;
/** Asked of the process whose memory is measured. */
const PROCESS_QUESTIONS = 300;

const HYBRID = { strategy: "hybrid", reader: "off" } as const;
const WAYS: readonly AskedSystem[] = [
  { name: "sparse-first", options: { strategy: "sparse-first", reader: "off" } },
  { name: "hybrid", options: HYBRID },
  { name: "dense-first", options: { strategy: "dense-first", reader: "off" } },
  { name: "without n-grams", options: HYBRID, without: "ngrams" },
  { name: "without terms", options: HYBRID, without: "terms" },
  { name: "without tf-idf", options: HYBRID, without: "tfidf" },
  { name: "without passage vectors", options: HYBRID, without: "vector" },
];

export const scaling: Table = {
  name: "scaling",
  peers: SCALING_PEERS,
  async measure(context) {
    const rows: Row[] = [];
    for (const corpus of GROWING.filter((corpus) => isWithin(corpus, context)))
      rows.push(...(await measureCorpus(await buildCorpus(corpus, context), corpus.key, context)));
    return rows;
  },
  async notMeasured(context) {
    return GROWING.filter((corpus) => !isWithin(corpus, context)).map(({ name }) => ({ what: name, corpus: name }));
  },
};

async function measureCorpus(corpus: BuiltCorpus, key: string, context: PapersContext): Promise<Row[]> {
  const { sample, questions } = context;
  const set = await squadSet(corpus, { most: QUESTIONS, sample, questions });
  const row = rowOver(corpus, set);
  const rows: Row[] = [];
  let sparseFirst: Judgements | undefined;
  for (const way of WAYS) {
    const part = `scaling/${key}/${way.name}`.replaceAll(" ", "-");
    const judgements = await judge(way, { part, set, corpus, context });
    sparseFirst ??= judgements;
    const figures = figuresOf(judgements);
    if (judgements !== sparseFirst) figures["EM above sparse-first"] = differenceOf(judgements.em, sparseFirst.em);
    if (way.name === "hybrid") Object.assign(figures, await processFigures(corpus, { key, set, context }));
    rows.push(row(way.name, judgements.measured, figures));
  }
  const { ranks, measured } = await ranksOfParagraphs(corpus, { key, set, context });
  for (const [source, name] of Object.entries(SOURCES))
    rows.push(row(name, measured, paragraphFigures(ranks[source as Source])));
  return rows;
}

interface About {
  key: string;
  set: QuestionSet;
  context: PapersContext;
}

async function ranksOfParagraphs(
  corpus: BuiltCorpus,
  { key, set, context }: About,
): Promise<{ ranks: ParagraphRanks; measured: Measured }> {
  const model = await encoderName(context.models);
  const inputs = { corpus: corpus.index, model, ids: set.questions.map(({ id }) => id), sources: Object.keys(SOURCES) };
  return context.parts.part(`scaling/${key}/paragraphs`, inputs, async () => {
    context.log(`${corpus.name}, ${set.name}: right paragraphs`);
    return { ranks: await paragraphRanks(set, corpus, context), measured: measuredWith(model, context) };
  });
}

/** Memory after some questions, bytes and the first answer of a process that only answers. */
async function processFigures(corpus: BuiltCorpus, { key, set, context }: About): Promise<Record<string, Figure>> {
  const inputs = {
    corpus: corpus.index,
    passages: corpus.passages,
    ids: set.questions.map(({ id }) => id),
    count: PROCESS_QUESTIONS,
    model: await encoderName(context.models),
  };
  return context.parts.part(`scaling/${key}/process`, inputs, async () => {
    const script = fileURLToPath(new URL("../../support/ask-index.mjs", import.meta.url));
    const file = join(context.work, "questions.jsonl");
    const lines = set.questions.map(({ id, question, answers }) => JSON.stringify({ id, question, answers }));
    await writeWhole(file, lines.join("\n"));
    const model = context.models.encoderFolder ?? "";
    const args = [script, corpus.index, file, String(PROCESS_QUESTIONS), String(SEED), model];
    const { stdout } = await promisify(execFile)(process.execPath, args, { signal: context.io.signal }).finally(() =>
      rm(file),
    );
    const { residentMB, bytes, ofText, coldMs } = JSON.parse(stdout) as Record<string, number>;
    return {
      "MB resident": { value: residentMB! },
      "MB on disk": { value: Math.round(bytes! / 1e5) / 10 },
      "times the text": { value: Math.round(10 * ofText!) / 10 },
      "ms to open and answer first": { value: Math.round(coldMs!) },
    };
  });
}
