/** Chinese: sentences retrieved, and answers read from the paragraph, with the multilingual models. */

import { rankByBm25 } from "../../../adapters/cli/eval/reqa.js";
import { ALL, rankByTerms } from "../../../adapters/cli/eval/sentence-terms.js";
import { evaluateSquad } from "../../../adapters/cli/eval/squad.js";
import { evaluateSquadReader } from "../../../adapters/cli/eval/squad-reader.js";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { reciprocalRank } from "../../../src/evaluate/ranks.js";
import { reqaFromSquad } from "../../../src/evaluate/reqa-from-squad.js";
import { parseSquad } from "../../../src/evaluate/squad-file.js";
import { createKernel } from "../../../src/kernel/kernel.js";
import { encoderName, measuredWith, type PapersContext, readerName, type Table } from "../context.js";
import { differenceOf, spanFigures } from "../figures.js";
import { countSquad, type SquadJson, sampleSquad } from "../squad-sample.js";
import type { Row } from "../types.js";
import { rankFigures } from "./sentences.js";

interface ChineseSet {
  name: string;
  file: "cmrc" | "drcd";
}

const SETS: readonly ChineseSet[] = [
  { name: "CMRC 2018 dev", file: "cmrc" },
  { name: "DRCD dev", file: "drcd" },
];

interface Given {
  set: ChineseSet;
  /** The drawn questions with their paragraphs. */
  squad: SquadJson;
  ofQuestions: number;
  inputs: object;
  context: PapersContext;
}

export const chinese: Table = {
  name: "chinese",
  peers: [],
  async measure(context) {
    const rows: Row[] = [];
    for (const set of SETS) {
      const whole = (await context.data.json(set.file)) as SquadJson;
      const given: Given = {
        set,
        squad: sampleSquad(whole, context.sample),
        ofQuestions: countSquad(whole).questions,
        inputs: { sample: context.sample, data: context.data.hash(set.file) },
        context,
      };
      rows.push(...(await sentenceRows(given)), ...(await phraseRows(given)), await readerRow(given));
    }
    return rows;
  },
};

async function sentenceRows({ set, squad, ofQuestions, inputs, context }: Given): Promise<Row[]> {
  const { multilingual, parts, io } = context;
  const model = await encoderName(multilingual);
  return parts.part(`chinese/${set.file}-sentences`, { ...inputs, model }, async () => {
    const task = reqaFromSquad(parseSquad(squad, set.name));
    const bm25 = new Bm25(task.candidates);
    const encoder = await multilingual.encoder();
    const within = { json: squad, where: set.name };
    const ranks = await rankByTerms(task, [ALL], { encoder, io, squad: within, contextOnly: true, bm25 });
    const peer = rankByBm25(task, io, bm25);
    const row = (system: string, ranked: typeof peer, measured = measuredWith(model, context)): Row => ({
      system,
      set: set.name,
      corpus: "sentences of its paragraphs",
      passages: task.candidates.length,
      questions: task.questions.length,
      ofQuestions: ofQuestions - (context.sample === undefined ? task.dropped : 0),
      figures: {
        ...rankFigures(ranked),
        ...(ranked === peer
          ? {}
          : { "MRR above BM25": differenceOf(ranked.map(reciprocalRank), peer.map(reciprocalRank)) }),
      },
      ...measured,
    });
    return [
      row("terms and BM25", ranks.withBm25!),
      row("terms alone, all terms", ranks.inContext![0]!),
      row("BM25 over pairs of characters", peer, measuredWith("none", context)),
    ];
  });
}

const GOLD = "the gold paragraph of each question";

/** What the rows of answers from the paragraph have in common. */
function aboutReading({ set, squad, ofQuestions }: Given) {
  const { paragraphs, questions } = countSquad(squad);
  return { set: set.name, corpus: GOLD, passages: paragraphs, questions, ofQuestions };
}

async function phraseRows(given: Given): Promise<Row[]> {
  const { set, squad, inputs, context } = given;
  const { multilingual, parts, io } = context;
  const model = await encoderName(multilingual);
  return parts.part(`chinese/${set.file}-phrase-search`, { ...inputs, model }, async () => {
    const encoder = await multilingual.encoder();
    const options = { encoder, kernel: createKernel(), io, where: set.name, stored: true, language: "zh" };
    const { full } = await evaluateSquad(squad, options);
    const system = "phrase search, as stored in an index";
    return [{ system, ...aboutReading(given), figures: spanFigures(full), ...measuredWith(model, context) }];
  });
}

async function readerRow(given: Given): Promise<Row> {
  const { set, squad, inputs, context } = given;
  const { multilingual, parts, io } = context;
  const model = await readerName(multilingual);
  return parts.part(`chinese/${set.file}-reader`, { ...inputs, model }, async () => {
    const { info, tokenizer } = await multilingual.encoder();
    const reader = await multilingual.reader();
    const options = { reader, model: info, tokenizer, io, where: set.name, language: "zh" };
    const { score } = await evaluateSquadReader(squad, options);
    return { system: "reader", ...aboutReading(given), figures: spanFigures(score), ...measuredWith(model, context) };
  });
}
