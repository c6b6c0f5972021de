/** Time at equal recall over our own weights: terms in ours, Lucene and Seismic; passage vectors in ours and faiss. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openSearcher } from "../../../adapters/node/open-searcher.js";
import type { EncodedQuestion } from "../../../src/encode/types.js";
import { measureDenseRows, writeDenseRows } from "../../support/dense-engines.js";
import { openDenseRows } from "../../support/dense-rows.js";
import { type PeerLine, runPeer } from "../../support/run-peer.js";
import { exactBest, foundBy, measureOwn, weightsOf, writeWeights } from "../../support/same-weights.js";
import { encoderName, measuredWith, type PapersContext, type Table } from "../context.js";
import { type BuiltCorpus, buildCorpus, engineCorpus, missingCorpus } from "../corpora.js";
import { type EnginePeer, installedPeers, PEER_ENGINES } from "../engine-peers.js";
import { type QuestionSet, squadSet } from "../systems.js";
import type { Figure, Measured, Row } from "../types.js";

const QUESTIONS = 300;
/** Best passages or rows that an engine should find. */
const BEST = 100;
/** Shares of the exact best: for each, an engine's fastest setting that reaches it is shown. */
const RECALLS = [0.99, 0.98, 0.95, 0.9];

/** One engine with one setting. */
export interface EngineLine {
  engine: string;
  setting?: string;
  msP50: number;
  msP99?: number;
  recall: number;
  bytesPerRow?: number;
  buildSeconds?: number;
}

/** For each engine its fastest setting at each recall, and its best one if it reaches none; fastest first. */
export function fastestAtRecalls(lines: readonly EngineLine[]): EngineLine[] {
  const shown = new Set<EngineLine>();
  for (const engine of new Set(lines.map((line) => line.engine))) {
    const own = lines.filter((line) => line.engine === engine).sort((a, b) => a.msP50 - b.msP50);
    for (const recall of RECALLS) {
      const reached = own.find((line) => line.recall >= recall);
      if (reached !== undefined) shown.add(reached);
    }
    if (!own.some((line) => shown.has(line))) shown.add(own.reduce((a, b) => (b.recall > a.recall ? b : a)));
  }
  return [...shown].sort((a, b) => a.msP50 - b.msP50);
}

interface EngineResult {
  terms: EngineLine[];
  dense: EngineLine[];
  rows: number;
  measured: Measured;
}

export const engines: Table = {
  name: "engines",
  peers: [],
  async measure(context) {
    const corpus = await buildCorpus(engineCorpus(context.largest), context);
    const { sample, questions } = context;
    const set = await squadSet(corpus, { most: QUESTIONS, sample, questions });
    const peers = await installedPeers(context);
    const model = await encoderName(context.models);
    const ids = set.questions.map(({ id }) => id);
    const inputs = { model, corpus: corpus.index, ids, peers: peers.map(({ name }) => name), best: BEST };
    const result = await context.parts.part("engines/all", inputs, () =>
      measureAll(corpus, { set, peers, model, context }),
    );
    return rowsOf(result, corpus, set);
  },
  async notMeasured(context) {
    const installed = await installedPeers(context);
    return [
      ...missingCorpus(engineCorpus, context),
      ...PEER_ENGINES.filter((peer) => !installed.includes(peer)).map(({ name, install }) => ({
        what: `${name}, which is not installed (${install})`,
      })),
    ];
  },
};

interface About {
  set: QuestionSet;
  peers: readonly EnginePeer[];
  model: string;
  context: PapersContext;
}

async function measureAll(corpus: BuiltCorpus, { set, peers, model, context }: About): Promise<EngineResult> {
  const folder = join(context.work, "engines");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    const of = (kind: EnginePeer["kind"]) => peers.filter((peer) => peer.kind === kind);
    const terms = await measureTerms(corpus, { folder, set, peers: of("terms"), context });
    const { dense, rows } = await measureDense(corpus, { folder, set, peers: of("dense"), context });
    return { terms, dense, rows, measured: measuredWith(model, context) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface OfKind {
  folder: string;
  set: QuestionSet;
  peers: readonly EnginePeer[];
  context: PapersContext;
}

async function measureTerms(corpus: BuiltCorpus, { folder, set, peers, context }: OfKind): Promise<EngineLine[]> {
  context.log(`${corpus.name}: the same terms in every engine`);
  const encoder = await context.models.encoder();
  const encoded: EncodedQuestion[] = [];
  for (const { question } of set.questions) encoded.push(await encoder.encodeQuestion(question));
  const { searcher, close } = await openSearcher(corpus.index, encoder);
  try {
    const weights = await weightsOf(searcher);
    await writeWeights(folder, weights, encoded);
    const truth = exactBest(weights, encoded, BEST);
    const lines: EngineLine[] = [await measureOwn(searcher, encoded, { k: BEST, truth })];
    for (const peer of peers) {
      const args = [...peer.args(context), folder, String(BEST)];
      for await (const line of runPeer<PeerLine & EngineLine & { found: string }>(peer.command(context), args)) {
        const lists = await foundBy(folder, line, BEST);
        const recall = lists.reduce((sum, list, n) => sum + truth.recall(n, list), 0) / lists.length;
        lines.push({ ...line, recall });
      }
    }
    return lines;
  } finally {
    await close();
  }
}

async function measureDense(
  corpus: BuiltCorpus,
  { folder, set, peers, context }: OfKind,
): Promise<{ dense: EngineLine[]; rows: number }> {
  context.log(`${corpus.name}: the same passage vectors in every engine`);
  const opened = await openDenseRows({
    index: corpus.index,
    questions: corpus.squad,
    count: set.questions.length,
    model: context.models.encoderFolder,
  });
  try {
    const dense: EngineLine[] = [await measureDenseRows(opened, BEST)];
    await writeDenseRows(folder, opened, BEST);
    for (const peer of peers) {
      const args = [...peer.args(context), folder, String(opened.dimensions), String(BEST)];
      for await (const line of runPeer<PeerLine & EngineLine & { nprobe?: number }>(peer.command(context), args))
        dense.push({ ...line, ...(line.nprobe === undefined ? {} : { setting: `nprobe ${line.nprobe}` }) });
    }
    return { dense, rows: opened.rows };
  } finally {
    await opened.close();
  }
}

function rowsOf({ terms, dense, rows, measured }: EngineResult, corpus: BuiltCorpus, set: QuestionSet): Row[] {
  const about = {
    corpus: corpus.name,
    documents: corpus.documents,
    questions: set.questions.length,
    ofQuestions: set.ofQuestions,
    ...measured,
  };
  const figuresOf = (found: string, { msP50, msP99, recall, bytesPerRow, buildSeconds }: EngineLine) => {
    const figures: Record<string, Figure> = {
      [found]: { value: rounded(100 * recall) },
      "ms p50": { value: rounded(msP50) },
    };
    if (msP99 !== undefined) figures["ms p99"] = { value: rounded(msP99) };
    if (bytesPerRow !== undefined) figures["bytes per row"] = { value: rounded(bytesPerRow) };
    if (buildSeconds !== undefined) figures["seconds to build"] = { value: rounded(buildSeconds) };
    return figures;
  };
  const rowsFor = (lines: readonly EngineLine[], kind: { set: string; found: string; passages: number }): Row[] =>
    fastestAtRecalls(lines).map((line) => ({
      system: line.setting === undefined ? line.engine : `${line.engine}, ${line.setting}`,
      set: kind.set,
      passages: kind.passages,
      figures: figuresOf(kind.found, line),
      ...about,
    }));
  return [
    ...rowsFor(terms, { set: "terms", found: `${BEST} best passages found`, passages: corpus.passages }),
    ...rowsFor(dense, { set: "passage vectors", found: `${BEST} best vectors found`, passages: rows }),
  ];
}

const rounded = (value: number): number => Math.round(100 * value) / 100;
