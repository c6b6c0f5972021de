/** Documents ranked by learned terms, for questions reserved for measuring: nDCG@10 as in BEIR. */

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { indexPaths } from "../../../adapters/node/ingest/index-paths.js";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import { draw } from "../../../src/evaluate/draw.js";
import { measureRankings, type Ranking, type Run } from "../../ranking/measure.js";
import { RANKING_SETS, type RankingSet, readRankingSet } from "../../ranking/ranking-set.js";
import { encoderName, hashOf, measuredWith, type PapersContext, type Table } from "../context.js";
import { differenceOf, meanOf, SEED } from "../figures.js";
import { writeWhole } from "../part-store.js";
import { RANKING_PEERS } from "../published-figures.js";
import type { Figure, Measured, Row } from "../types.js";

type SetName = (typeof RANKING_SETS)[number];

const SET_TITLES: Readonly<Record<SetName, string>> = {
  medquad: "MedQuAD (medical answers)",
  qmsum: "QMSum (meetings)",
  faq: "FAQs of manuals and policies",
  contractnli: "ContractNLI (one contract each)",
  policyqa: "PolicyQA (one policy each)",
};

const SYSTEMS: readonly (readonly [Ranking, string])[] = [
  ["default", "default ranking (hybrid)"],
  ["terms", "terms alone"],
  ["tfidf", "tf-idf alone"],
  ["baseVector", "all-MiniLM-L6-v2, dense"],
  ["bm25", "BM25"],
];

/** nDCG@10 per query of each ranking of a set. */
interface MeasuredSet {
  gains: Partial<Record<Ranking, number[]>>;
  documents: number;
  passages: number;
  queries: number;
  ofQueries: number;
  measured: Measured;
}

export const ranking: Table = {
  name: "ranking",
  peers: RANKING_PEERS,
  async measure(context) {
    const sets = await makeSets(context);
    const measured = new Map<SetName, MeasuredSet>();
    for (const name of RANKING_SETS) measured.set(name, await measureSet(name, join(sets, name), context));
    return [...RANKING_SETS.flatMap((name) => rowsOf(name, measured.get(name)!)), ...meanRows([...measured.values()])];
  },
};

/** @throws VerbatimError `unreadable-document` for a missing file, or without Python */
async function makeSets({ data, work, io }: PapersContext): Promise<string> {
  const paths = [];
  for (const name of RANKING_SETS) paths.push(await data.path(name));
  const folder = join(work, "ranking", "sets");
  const script = fileURLToPath(new URL("../../ranking/sets.py", import.meta.url));
  const args = [script, "--data", join(data.folder, "other"), "--out", folder, "--seed", String(SEED)];
  try {
    await promisify(execFile)("python3", args, { signal: io.signal });
  } catch (cause) {
    throwIfAborted(io.signal);
    throw new VerbatimError("unreadable-document", `${script} failed.`, { cause, hint: "It needs Python 3.10." });
  }
  return folder;
}

async function measureSet(name: SetName, folder: string, context: PapersContext): Promise<MeasuredSet> {
  const { data, models, parts, sample, base, io } = context;
  const model = await encoderName(models);
  const inputs = { sample, model, data: data.hash(name), base: base !== undefined };
  return parts.part(`ranking/${name}`, inputs, async () => {
    const whole = await readRankingSet(folder, "measure");
    const set = sampleRanking(whole, sample);
    const { index, passages, drawn } = await indexSet(name, set, context);
    const run = base === undefined ? undefined : await baseRun(drawn, base, context);
    const encoder = await models.encoder();
    context.log(`${SET_TITLES[name]}: ranking`);
    const gains = await measureRankings(set, { index, encoder, base: run, signal: io.signal });
    return {
      gains: Object.fromEntries(gains),
      documents: set.documents.length,
      passages,
      queries: set.queries.length,
      ofQueries: whole.queries.length,
      measured: measuredWith(model, context),
    };
  });
}

/** Drawn queries, all documents of their scopes, and the same share of the other documents. */
export function sampleRanking({ documents, queries, qrels }: RankingSet, count: number | undefined): RankingSet {
  if (count === undefined || count >= queries.length) return { documents, queries, qrels };
  const drawn = draw(queries, count, SEED);
  const wanted = (id: string): boolean =>
    drawn.some((query) => qrels.get(query.id)!.has(id) || (query.scope !== "" && id.startsWith(query.scope)));
  const others = documents.filter(({ id }) => !wanted(id));
  const kept = new Set(draw(others, Math.ceil((count / queries.length) * others.length), SEED));
  return {
    documents: documents.filter((document) => wanted(document.id) || kept.has(document)),
    queries: drawn,
    qrels,
  };
}

/** Writes the documents and queries that are measured, and indexes them; an existing index is used again. */
async function indexSet(name: SetName, { documents, queries }: RankingSet, context: PapersContext) {
  const encoder = await context.models.encoder();
  const { passageModelHash, storage } = encoder.info;
  const hash = hashOf([passageModelHash, storage, documents, queries]).slice(0, 8);
  const drawn = join(context.work, "ranking", `${name}-${hash}`);
  const lines = (items: readonly object[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join("");
  const corpus = join(drawn, "corpus.jsonl");
  await mkdir(drawn, { recursive: true });
  await writeWhole(corpus, lines(documents.map(({ id, title, text }) => ({ _id: id, title, text }))));
  await writeWhole(join(drawn, "queries.jsonl"), lines(queries.map(({ id, text }) => ({ _id: id, text }))));
  const index = join(drawn, "index");
  context.log(`${SET_TITLES[name]}: indexing`);
  const { signal } = context.io;
  const { total } = await indexPaths([corpus], { index, format: "jsonl", encoder, signal });
  throwIfAborted(signal);
  return { index, passages: total!.passages, drawn };
}

/** Ranks by the base model's sentence vectors (needs Python with torch and transformers). */
async function baseRun(folder: string, base: string, { python, io, log }: PapersContext): Promise<Run> {
  const script = fileURLToPath(new URL("../../ranking/base_vectors.py", import.meta.url));
  const out = join(folder, "base.json");
  log(`${folder}: sentence vectors of the base model`);
  try {
    await promisify(execFile)(python, [script, folder, "--model", base, "--out", out], { signal: io.signal });
  } catch (cause) {
    throwIfAborted(io.signal);
    throw new VerbatimError("model-missing", `${python} cannot rank by the model in ${base}.`, {
      cause,
      hint: "Name a Python with torch and transformers with --python, and the folder that training/base.py minilm prints with --base.",
    });
  }
  return JSON.parse(await readFile(out, "utf8")) as Run;
}

function rowsOf(name: SetName, set: MeasuredSet): Row[] {
  const { gains, documents, passages, queries, ofQueries, measured } = set;
  return SYSTEMS.flatMap(([key, system]) => {
    const own = gains[key];
    if (own === undefined) return [];
    const row: Row = {
      system,
      set: SET_TITLES[name],
      corpus: `${documents.toLocaleString("en-US")} documents`,
      documents,
      passages,
      questions: queries,
      ofQuestions: ofQueries,
      figures: figuresOf(key, gains),
      ...modelOf(key, measured),
    };
    return [row];
  });
}

/** Means of the sets: each set counts the same, however many questions it has. */
function meanRows(sets: readonly MeasuredSet[]): Row[] {
  const sum = (of: (set: MeasuredSet) => number): number => sets.reduce((total, set) => total + of(set), 0);
  const queries = sum((set) => set.queries);
  const weighted = (key: Ranking): number[] =>
    sets.flatMap(({ gains }) => gains[key]!.map((gain) => (gain * queries) / (sets.length * gains[key]!.length)));
  const measured = SYSTEMS.map(([key]) => key).filter((key) => sets.every(({ gains }) => gains[key] !== undefined));
  return SYSTEMS.flatMap(([key, system]) => {
    if (!measured.includes(key)) return [];
    const row: Row = {
      system,
      set: "**mean of the five**",
      corpus: "",
      passages: sum((set) => set.passages),
      questions: queries,
      ofQuestions: sum((set) => set.ofQueries),
      figures: figuresOf(key, Object.fromEntries(measured.map((ranking) => [ranking, weighted(ranking)]))),
      ...modelOf(key, sets[0]!.measured),
    };
    return [row];
  });
}

/** Rankings that others are compared with, question by question. */
const PEERS: readonly (readonly [Ranking, string])[] = [
  ["bm25", "above BM25"],
  ["baseVector", "above all-MiniLM-L6-v2"],
];

export function figuresOf(key: Ranking, gains: MeasuredSet["gains"]): Record<string, Figure> {
  const own = gains[key]!;
  const figures: Record<string, Figure> = { "nDCG@10": meanOf(own, 100) };
  for (const [peer, name] of PEERS) {
    const others = gains[peer];
    if (key !== peer && others !== undefined) figures[name] = differenceOf(own, others);
  }
  return figures;
}

function modelOf(key: Ranking, measured: Measured): Measured {
  if (key === "bm25" || key === "tfidf") return { ...measured, model: "none" };
  return key === "baseVector" ? { ...measured, model: "all-MiniLM-L6-v2 53aa5117" } : measured;
}
