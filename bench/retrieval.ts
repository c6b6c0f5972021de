/**
 * How often and how fast is the right document found, compared with other search engines?
 *
 *     npm install --no-save minisearch flexsearch @orama/orama
 *     pip install pyseismic-lsr
 *     mvn dependency:copy -Dartifact=org.apache.lucene:lucene-core:10.3.2 -DoutputDirectory=JARS     (and lucene-analysis-common)
 *     npm run bench -- retrieval --index DIR --questions SQUAD.json [--python PYTHON] [--lucene 'JARS/*'] [--java JAVA] [--count 300] [--seed 1] [--model DIR]
 *
 * The index contains the SQUAD file's paragraphs (`verbatim index SQUAD.json --format squad`) and
 * possibly others. Every peer indexes title and text of the same documents in memory with its
 * defaults (FlexSearch with `suggest`, otherwise one missing word finds nothing). All alternate
 * question by question, one thread, 100 documents per question; recall is that of the question's
 * own paragraph. Ours uses terms (SPARTA) and tf-idf together, read from the files. The terms of a
 * question need no network, so the measured time includes its tokenisation. Lucene (Java 21) uses
 * BM25 over the same texts.
 *
 * A second part compares the same SPARTA weights in every engine: ours, Seismic (--python) at
 * several settings, Lucene's impacts (--lucene). recall: share of the 100 best passages by exact
 * sums, after every question was asked once. --weights-only: only this part.
 */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openSearcher } from "../adapters/node/open-searcher.js";
import { questionInput } from "../src/encode/input.js";
import type { EncodedQuestion } from "../src/encode/types.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import { rankDocuments } from "../src/search/rank-documents.js";
import { scoreAllPassages } from "../src/search/score/passage-scorer.js";
import { loadPeer, openMiniSearch, type Text, textsOf } from "./support/other-engines.js";
import { record } from "./support/results.js";
import { type PeerLine, runPeer } from "./support/run-peer.js";
import { exactBest, foundBy, measureOwn, weightsOf, writeWeights } from "./support/same-weights.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
    python: { type: "string" },
    lucene: { type: "string" },
    java: { type: "string", default: "java" },
    "weights-only": { type: "boolean", default: false },
  },
});
if (values.index === undefined || values.questions === undefined) {
  console.error(
    "usage: npm run bench -- retrieval --index DIR --questions SQUAD.json [--python PYTHON] [--lucene JARS] [--java JAVA] [--count N] [--seed N] [--model DIR]",
  );
  process.exit(2);
}
const TOP = 100;
/** JVM options that Lucene recommends for speed. */
const JAVA = ["--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"];
const all = parseOpenQuestions(await readFile(values.questions, "utf8"), values.questions);
const questions = draw(all, Number(values.count), Number(values.seed));
if (questions.some(({ goldPassages }) => goldPassages === undefined)) {
  console.error(`${values.questions} does not name the paragraph of each question. Use a SQuAD file.`);
  process.exit(2);
}

const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const { info: model, tokenizer } = encoder;
const { searcher, snapshot, close } = await openSearcher(values.index, encoder);

const documents = await textsOf(snapshot);

/** @returns ids, best first */
type Find = (question: string, number: number) => Promise<string[]> | string[];

interface Engine {
  name: string;
  find: Find;
  buildSeconds?: number;
}

const PEERS = ["minisearch", "flexsearch", "@orama/orama"];
const load = (name: string) => loadPeer(name, PEERS);

async function timed(name: string, build: () => Promise<Find> | Find): Promise<Engine> {
  const begun = performance.now();
  const find = await build();
  const buildSeconds = (performance.now() - begun) / 1000;
  console.error(`${name}: ${documents.length} documents in ${buildSeconds.toFixed(1)} s`);
  return { name, find, buildSeconds };
}

interface FlexIndexLike {
  add(id: number, text: string): void;
  search(question: string, options: object): number[];
}
interface OramaLike {
  create(options: object): object;
  insertMultiple(database: object, documents: readonly Text[], batch: number): Promise<unknown>;
  search(database: object, query: object): Promise<{ hits: Array<{ id: string }> }>;
}

const encoded: EncodedQuestion[] = [];
for (const { question } of questions) encoded.push(await encoder.encodeQuestion(question));
const engines: Engine[] = [
  {
    name: "verbatim, terms and tf-idf",
    find: async (question, number) => {
      questionInput(tokenizer, question, model.maxQuestionTokens);
      const { terms, tfidf, vector } = await scoreAllPassages(searcher, encoded[number]!);
      for (let p = 0; p < terms.length; p++) terms[p]! += tfidf[p]!; // the vectors would need the network
      const ranked = await rankDocuments(searcher, terms, { count: TOP });
      searcher.scratch.give(terms, tfidf, vector);
      return ranked.map(({ id }) => id);
    },
  },
];
const openPeers = async (): Promise<Engine[]> => [
  await timed("MiniSearch", async () => {
    const index = await openMiniSearch(documents, PEERS);
    return (question) =>
      index
        .search(question)
        .slice(0, TOP)
        .map(({ id }) => id);
  }),
  await timed("FlexSearch", async () => {
    const flex = await load("flexsearch");
    const { Index } = (flex.default ?? flex) as { Index: new (options: object) => FlexIndexLike };
    const index = new Index({ tokenize: "strict" });
    for (const [n, { title, text }] of documents.entries()) index.add(n, `${title} ${text}`);
    return (question) => index.search(question, { limit: TOP, suggest: true }).map((n) => documents[n]!.id);
  }),
  await timed("Orama", async () => {
    const orama = (await load("@orama/orama")) as unknown as OramaLike;
    const database = orama.create({ schema: { id: "string", title: "string", text: "string" } });
    await orama.insertMultiple(database, documents, 500);
    return async (question) => (await orama.search(database, { term: question, limit: TOP })).hits.map(({ id }) => id);
  }),
];

if (!values["weights-only"]) engines.push(...(await openPeers()));

const times = engines.map(() => [] as number[]);
const ranks = engines.map(() => [] as number[]);
const ask = async (question: number, e: number, counts: boolean): Promise<void> => {
  const { question: text, goldPassages } = questions[question]!;
  const begun = performance.now();
  const ids = await engines[e]!.find(text, question);
  const ms = performance.now() - begun;
  if (!counts) return;
  times[e]!.push(ms);
  const rank = ids.findIndex((id) => goldPassages!.includes(id));
  ranks[e]!.push(rank < 0 ? Number.POSITIVE_INFINITY : rank);
};
for (let n = 0; n < Math.min(20, questions.length); n++) for (const e of engines.keys()) await ask(n, e, false);
for (const n of questions.keys()) for (let i = 0; i < engines.length; i++) await ask(n, (n + i) % engines.length, true);
for (const [e, { name, buildSeconds }] of engines.entries()) {
  const sorted = times[e]!.sort((a, b) => a - b);
  const among = (count: number): number => ranks[e]!.filter((rank) => rank < count).length / ranks[e]!.length;
  await record("retrieval", {
    engine: name,
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    first: among(1),
    amongTen: among(10),
    amongHundred: among(TOP),
    ...(buildSeconds === undefined ? {} : { buildSeconds }),
    questions: questions.length,
    documents: documents.length,
  });
}
type FoundLine = PeerLine & { found: string };
const folder = await mkdtemp(join(tmpdir(), "verbatim-retrieval-"));
try {
  const about = { questions: questions.length, documents: documents.length };
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
  await writeFile(
    join(folder, "texts.txt"),
    documents.map(({ title, text }) => `${oneLine(`${title} ${text}`)}\n`),
  );
  await writeFile(
    join(folder, "questions.txt"),
    questions.map(({ question }) => `${oneLine(question)}\n`),
  );
  const weights = await weightsOf(searcher);
  await writeWeights(folder, weights, encoded);
  const truth = exactBest(weights, encoded, TOP);
  await record("retrieval", { ...(await measureOwn(searcher, encoded, { k: TOP, truth })), ...about });
  const recordLine = async (line: FoundLine): Promise<void> => {
    const lists = await foundBy(folder, line, TOP);
    const { found: _, ...figures } = line;
    if (line.engine.endsWith("BM25")) {
      const best = lists.map((list, n) => {
        const { goldPassages } = questions[n]!;
        return Array.from(list).findIndex((d) => goldPassages!.includes(documents[d]?.id ?? ""));
      });
      const among = (count: number): number => best.filter((rank) => rank >= 0 && rank < count).length / best.length;
      await record("retrieval", {
        ...figures,
        first: among(1),
        amongTen: among(10),
        amongHundred: among(TOP),
        ...about,
      });
    } else {
      const recall = lists.reduce((sum, list, n) => sum + truth.recall(n, list), 0) / lists.length;
      await record("retrieval", { ...figures, recall, ...about });
    }
  };
  const script = (name: string): string => fileURLToPath(new URL(`support/${name}`, import.meta.url));
  const peers: Array<[string, string[]]> = [];
  if (values.python !== undefined) peers.push([values.python, [script("seismic_search.py")]]);
  if (values.lucene !== undefined)
    peers.push([values.java, [...JAVA, "-cp", values.lucene, script("LuceneSearch.java")]]);
  for (const [command, args] of peers) {
    for await (const line of runPeer<FoundLine>(command, [...args, folder, String(TOP)])) await recordLine(line);
  }
} finally {
  await rm(folder, { recursive: true });
}
await close();
await encoder.close();
