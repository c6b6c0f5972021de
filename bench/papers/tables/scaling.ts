/** The same questions over growing corpora, with and without parts of the score (SPARC table 2). */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { encoderName, type PapersContext, type Table } from "../context.js";
import { type BuiltCorpus, buildCorpus, type Corpus, ENWIKI, SIMPLEWIKI } from "../corpora.js";
import { SEED } from "../figures.js";
import { SCALING_PEERS } from "../peers.js";
import type { Figure, Row } from "../types.js";
import { type AskSetup, figuresOf, judge, type QuestionSet, rowOver, squadSet } from "../ways.js";

const QUESTIONS = 1000;
/** Documents of the corpora, SQuAD dev's 2,067 paragraphs included. */
const SIZES = [5_000, 20_000, 52_000, 110_000];
const PARAGRAPHS = 2_067;

const CORPORA: readonly Corpus[] = [
  ...SIZES.map((documents) => ({
    key: `simplewiki-${documents}`,
    name: `${documents / 1000} k documents: Simple English Wikipedia, SQuAD dev paragraphs`,
    sources: [{ ...SIMPLEWIKI, wanted: documents - PARAGRAPHS }],
  })),
  { key: "enwiki", name: "English Wikipedia (2015), SQuAD dev paragraphs", sources: [ENWIKI] },
];

const HYBRID = { strategy: "hybrid", reader: "off" } as const;
const WAYS: readonly AskSetup[] = [
  { name: "hybrid", how: HYBRID },
  { name: "without n-grams", how: HYBRID, without: "ngrams" },
  { name: "without terms", how: HYBRID, without: "terms" },
  { name: "without tf-idf", how: HYBRID, without: "tfidf" },
];

export const scaling: Table = {
  name: "scaling",
  peers: SCALING_PEERS,
  async measure(context) {
    const rows: Row[] = [];
    for (const corpus of CORPORA)
      rows.push(...(await measureCorpus(await buildCorpus(corpus, context), corpus.key, context)));
    return rows;
  },
};

async function measureCorpus(corpus: BuiltCorpus, key: string, context: PapersContext): Promise<Row[]> {
  const set = await squadSet(corpus, { most: QUESTIONS, sample: context.sample });
  const row = rowOver(corpus, set);
  const rows: Row[] = [];
  for (const way of WAYS) {
    const part = `scaling/${key}/${way.name}`.replaceAll(" ", "-");
    const judgements = await judge(way, { part, set, corpus, context });
    const process = way.without === undefined ? await processFigures(corpus, { key, set, context }) : {};
    rows.push(row(way.name, judgements.measured, { ...figuresOf(judgements), ...process }));
  }
  return rows;
}

/** Memory, bytes and the first answer of a process that only answers. */
async function processFigures(
  corpus: BuiltCorpus,
  { key, set, context }: { key: string; set: QuestionSet; context: PapersContext },
): Promise<Record<string, Figure>> {
  const count = set.questions.length;
  const inputs = { corpus: corpus.index, passages: corpus.passages, count, model: await encoderName(context.models) };
  return context.parts.part(`scaling/${key}/process`, inputs, async () => {
    const script = fileURLToPath(new URL("../../support/ask-index.ts", import.meta.url));
    const model = context.models.encoderFolder ?? "";
    const args = ["--import", "tsx", script, corpus.index, corpus.squad, String(count), String(SEED), model];
    const { stdout } = await promisify(execFile)(process.execPath, args, { signal: context.io.signal });
    const { residentMB, bytes, ofText, coldMs } = JSON.parse(stdout) as Record<string, number>;
    return {
      "MB resident": { value: residentMB! },
      "MB on disk": { value: Math.round(bytes! / 1e5) / 10 },
      "times the text": { value: Math.round(10 * ofText!) / 10 },
      "ms to open and answer first": { value: Math.round(coldMs!) },
    };
  });
}
