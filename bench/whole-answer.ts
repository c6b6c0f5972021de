/**
 * How accurate and how fast is a whole answer, compared with a program that combines a search
 * library with the same reader?
 *
 *     npm install --no-save minisearch
 *     npm run bench -- whole-answer --index DIR --questions SQUAD.json [--count 200] [--seed 1] [--model DIR] [--passages 10] [--ours 1,4,10] [--below 0.4,0.6]
 *
 *   hybrid, auto, on     phrase search only, with the reader if unsure, and with the reader always, reading at most --ours passages; --below: auto with
 *                        other thresholds, one passage
 *   lexical + reader     MiniSearch's best documents, the reader on each
 *   tf-idf + reader      the same with our tf-idf only (as in DrQA, Chen et al. 2017)
 *
 * The same reader, passages and threads for all, alternating question by question. Exact match and
 * F1 as in SQuAD.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openReader } from "../adapters/node/models/reader/reader.js";
import { openSearcher } from "../adapters/node/open-searcher.js";
import { draw } from "../src/evaluate/draw.js";
import { exactMatch } from "../src/evaluate/exact-match.js";
import { f1 } from "../src/evaluate/f1.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import type { ReaderMode } from "../src/reader/types.js";
import { rankDocuments } from "../src/search/rank-documents.js";
import { scoreAllPassages } from "../src/search/score/passage-scorer.js";
import { openMiniSearch, textsOf } from "./support/other-engines.js";
import { readBest } from "./support/read-best.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
    passages: { type: "string", default: "10" },
    ours: { type: "string", default: "1,4,10" },
    below: { type: "string", default: "" },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- whole-answer --index DIR --questions SQUAD.json [--count N] [--seed N] [--model DIR] [--passages N]",
  );
  process.exit(2);
}
const PASSAGES = Number(values.passages);
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = draw(all, Number(values.count), Number(values.seed));

const encoder = await openEncoder({ modelFolder: values.model });
const reader = await openReader({ model: encoder.model });
const index = await openIndex({ path: values.index, encoder, reader });
const { searcher, snapshot, close } = await openSearcher(values.index, encoder);
const texts = await textsOf(snapshot);
const byId = new Map(texts.map((text) => [text.id, text]));
const lexical = await openMiniSearch(texts, ["minisearch"]);

const parts = { encoder, reader, searcher };

interface Way {
  name: string;
  /** Maximum number of passages to read. */
  passages: number;
  answer(question: string): Promise<string>;
}

const asked =
  (mode: ReaderMode, readerPassages: number, readBelow?: number) =>
  async (question: string): Promise<string> =>
    (
      await index.ask(question, {
        reader: mode,
        minConfidence: 0,
        advanced: { readerPassages, readBelow, rankedPassages: 0 },
      })
    ).answers[0]?.text ?? "";

const ways: Way[] = [
  { name: "hybrid", passages: 0, answer: asked("off", 1) },
  ...values.below
    .split(",")
    .filter((share) => share !== "")
    .map((share): Way => ({ name: `auto, 1 below ${share}`, passages: 1, answer: asked("auto", 1, Number(share)) })),
  ...values.ours.split(",").flatMap((passages) =>
    (["auto", "on"] as const).map((mode): Way => {
      const count = Number(passages);
      return { name: `${mode}, ${count}`, passages: count, answer: asked(mode, count) };
    }),
  ),
  {
    name: "lexical + reader",
    passages: PASSAGES,
    answer: async (question) => {
      const found = lexical.search(question).slice(0, PASSAGES);
      const texts = found.map(({ id }) => byId.get(id)!);
      return readBest(question, texts, parts);
    },
  },
  {
    name: "tf-idf + reader",
    passages: PASSAGES,
    answer: async (question) => {
      const encoded = await encoder.encodeQuestion(question); // tf-idf itself needs no network, so this adds a millisecond
      const { terms, tfidf, vector } = await scoreAllPassages(searcher, encoded);
      const ranked = await rankDocuments(searcher, tfidf, { count: PASSAGES });
      searcher.scratch.give(terms, tfidf, vector);
      const texts = ranked.map(({ id }) => byId.get(id)!);
      return readBest(question, texts, parts);
    },
  },
];

const times = ways.map(() => [] as number[]);
const marks = ways.map(() => ({ exact: [] as number[], overlap: 0 }));
const one = async (n: number, w: number, counts: boolean): Promise<void> => {
  const { question, answers: golds } = questions[n]!;
  const begun = performance.now();
  const text = await ways[w]!.answer(question);
  const ms = performance.now() - begun;
  if (!counts) return;
  times[w]!.push(ms);
  marks[w]!.exact.push(exactMatch(text, golds));
  marks[w]!.overlap += f1(text, golds);
};
for (let n = 0; n < Math.min(10, questions.length); n++) for (const w of ways.keys()) await one(n, w, false);
for (const n of questions.keys()) for (let i = 0; i < ways.length; i++) await one(n, (n + i) % ways.length, true);
const share = (sum: number): number => Math.round((1e4 * sum) / questions.length) / 100;
for (const [w, { name, passages }] of ways.entries()) {
  const sorted = [...times[w]!].sort((a, b) => a - b);
  await record("whole-answer", {
    way: name,
    exactMatch: share(marks[w]!.exact.reduce((sum, mark) => sum + mark, 0)),
    f1: share(marks[w]!.overlap),
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    msMean: sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length,
    passages,
    questions: questions.length,
    documents: texts.length,
  });
}
await close();
await index.close();
await reader.close();
await encoder.close();
