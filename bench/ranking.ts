/**
 * How well are documents ranked where nothing was trained? nDCG@10 over medical questions, meetings,
 * FAQs, contracts and privacy policies.
 *
 *     python bench/ranking/sets.py --data DATA --out SETS
 *     python bench/ranking/base_vectors.py SETS/faq --model DIR --out SETS/faq/base.json        (and the others)
 *     verbatim index SETS/faq/corpus.jsonl --format jsonl --index INDEXES/faq                   (and the others)
 *     npm run bench -- ranking --sets SETS --indexes INDEXES [--part measure|development] [--model DIR] [--json]
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
import { openSession } from "../adapters/node/open-session.js";
import type { EncodedQuestion, Encoder } from "../src/encode/types.js";
import { parseBeirDocument, parseQrels } from "../src/evaluate/beir-files.js";
import { Bm25 } from "../src/evaluate/bm25.js";
import { ndcgAt, type Ranked } from "../src/evaluate/retrieval.js";
import { rankDocuments } from "../src/search/rank-documents.js";
import { scoreSparse } from "../src/search/score/sparse.js";
import { findSpans } from "../src/search/search.js";
import type { SearchSession } from "../src/search/session.js";
import { record } from "./support/results.js";

const SETS = ["medquad", "qmsum", "faq", "contractnli", "policyqa"] as const;
const SYSTEMS = ["default", "terms", "tfidf", "bm25", "baseVector"] as const;
type System = (typeof SYSTEMS)[number];

const { values } = parseArgs({
  options: {
    sets: { type: "string" },
    indexes: { type: "string" },
    part: { type: "string", default: "measure" },
    model: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const { sets, indexes, part } = values;
if (sets === undefined || indexes === undefined || !["measure", "development"].includes(part)) {
  console.error(
    "usage: npm run bench -- ranking --sets DIR --indexes DIR [--part measure|development] [--model DIR] [--json]",
  );
  process.exit(2);
}

interface Query {
  id: string;
  text: string;
  /** Prefix of the ids that are ranked. */
  scope: string;
}

const encoder = await openEncoder({ modelFolder: values.model, threads: 1 });
const figures: Record<string, Partial<Record<System, number>>> = {};
let questions = 0;
for (const name of SETS) {
  const measured = await measureSet(join(sets, name), join(indexes, name), encoder);
  questions += measured.questions;
  figures[name] = measured.figures;
}
await encoder.close();
const means = Object.fromEntries(SYSTEMS.map((system) => [system, meanOf(SETS.map((name) => figures[name]![system]))]));
if (values.json) console.log(JSON.stringify({ part, questions, means, figures }));
else await record("ranking", { part, questions, means, figures });

async function measureSet(folder: string, index: string, encoder: Encoder) {
  const qrels = parseQrels(await readFile(join(folder, "qrels", `${part}.tsv`), "utf8"), `${part}.tsv`);
  const queries = (await linesOf(join(folder, "queries.jsonl")))
    .map((line): Query => {
      const { _id: id, text, scope = "" } = JSON.parse(line);
      return { id, text, scope };
    })
    .filter(({ id }) => qrels.has(id));
  const documents = (await linesOf(join(folder, "corpus.jsonl"))).map((line) =>
    parseBeirDocument(line, "corpus.jsonl"),
  );
  const bm25 = new Bm25(documents.map(({ title, text }) => `${title} ${text}`));
  const base = join(folder, "base.json");
  const vectors: Record<string, [string, number][]> | undefined = existsSync(base)
    ? JSON.parse(await readFile(base, "utf8"))
    : undefined;
  const { session, close } = await openSession(index, encoder);
  const gains = new Map<System, number[]>(SYSTEMS.map((system) => [system, []]));
  for (const query of queries) {
    const encoded = await encoder.encodeQuestion(query.text);
    const inScope = (list: Ranked[]): Ranked[] => list.filter(({ id }) => id.startsWith(query.scope));
    const sparse = await scoreSparse(session, encoded);
    const all = { count: documents.length };
    const ranked: Record<Exclude<System, "baseVector">, Ranked[]> = {
      default: await byBestSpan(session, encoded, query),
      terms: inScope(await rankDocuments(session, sparse.terms, all)),
      tfidf: inScope(await rankDocuments(session, sparse.tfidf, all)),
      bm25: inScope(
        bm25
          .search(query.text, documents.length)
          .map(({ document, score }) => ({ id: documents[document]!.id, score })),
      ),
    };
    session.scratch.give(...Object.values(sparse));
    const nearest = vectors?.[query.id]?.map(([id, score]) => ({ id, score }));
    const rankings = nearest === undefined ? ranked : { ...ranked, baseVector: inScope(nearest) };
    for (const [system, ranking] of Object.entries(rankings))
      gains.get(system as System)!.push(ndcgAt(ranking, qrels.get(query.id)!, 10));
  }
  await close();
  return { questions: queries.length, figures: Object.fromEntries(SYSTEMS.map((s) => [s, meanOf(gains.get(s)!)])) };
}

/** Documents by the default search: what `ask` ranks before a reader reads. */
async function byBestSpan(session: SearchSession, encoded: EncodedQuestion, { scope }: Query): Promise<Ranked[]> {
  const filter = scope === "" ? {} : { filter: ({ id }: { id: string }) => id.startsWith(scope), filterKey: scope };
  const { passages } = await findSpans(session, encoded, filter);
  const best = new Map<string, number>();
  for (const { segment, passage, score } of passages) {
    const { id } = await session.document(segment, session.segment(segment).passage(passage).document);
    if (!best.has(id)) best.set(id, score); // passages are sorted, best first
  }
  return [...best].map(([id, score]) => ({ id, score }));
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
}

/** undefined without figures; rounded to four digits. */
function meanOf(numbers: ReadonlyArray<number | undefined>): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  if (known.length === 0) return undefined;
  return Math.round((1e4 * known.reduce((sum, number) => sum + number, 0)) / known.length) / 1e4;
}
