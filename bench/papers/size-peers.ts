/** Other ways to find the passages that a reader then reads, with the bytes of what they keep. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prepareQuestion } from "../../src/search/prepare.js";
import { writeDenseRows } from "../support/dense-engines.js";
import type { DenseRows } from "../support/dense-rows.js";
import { type PeerLine, runPeer } from "../support/run-peer.js";
import { foundBy } from "../support/same-weights.js";
import type { PapersContext } from "./context.js";
import { installedPeers, PEER_ENGINES } from "./engine-peers.js";
import type { QuestionSet } from "./systems.js";

/** Names of engines that are compared here. */
const SIZED: readonly string[] = ["Lucene", "faiss"];

export interface PassageText {
  title: string;
  text: string;
}

export interface FoundPassages {
  system: string;
  /** Bytes of the index and the texts. */
  bytes: number;
  /** Whether our encoder is part of it. */
  usesVectors: boolean;
  /** Numbers of the best passages, best first, per question. */
  found: number[][];
}

interface SizedCorpus {
  /** By number. */
  passages: readonly PassageText[];
  /** UTF-8 bytes of all documents. */
  textBytes: number;
  set: QuestionSet;
  /** Empty; the caller removes it. */
  folder: string;
  /** Best passages of each question. */
  best: number;
  opened: Omit<DenseRows, "rows" | "dimensions" | "queries">;
  context: PapersContext;
}

/** Peers that are not installed, and how to install them. */
export async function missingSizePeers(context: PapersContext): Promise<string[]> {
  const installed = await installedPeers(context);
  const missing = PEER_ENGINES.filter((peer) => SIZED.includes(peer.name) && !installed.includes(peer));
  const lines = missing.map(({ name, install }) => `${name}, which is not installed (${install})`);
  if ((await loadMiniSearch()) === undefined)
    lines.push("MiniSearch, which is not installed (npm install --no-save minisearch)");
  return lines;
}

/** Every installed peer; those that are missing are left out. */
export async function findWithPeers(corpus: SizedCorpus): Promise<FoundPassages[]> {
  const installed = (await installedPeers(corpus.context)).map(({ name }) => name);
  return [
    ...(installed.includes("Lucene") ? [await findWithLucene(corpus)] : []),
    ...(await findWithMiniSearch(corpus)),
    ...(installed.includes("faiss") ? await findWithFaiss(corpus) : []),
  ];
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

/** BM25 over titles and texts, which the index stores compressed. */
async function findWithLucene({ passages, set, folder, best, context }: SizedCorpus): Promise<FoundPassages> {
  const lines = passages.map(({ title, text }) => `${oneLine(`${title} ${text}`)}\n`);
  await writeFile(join(folder, "texts.txt"), lines.join(""));
  await writeFile(
    join(folder, "questions.txt"),
    set.questions.map(({ question }) => `${oneLine(question)}\n`).join(""),
  );
  const peer = PEER_ENGINES.find(({ name }) => name === "Lucene")!;
  const args = [...peer.args(context).slice(0, -1), "stored", folder, String(best)];
  for await (const line of runPeer<PeerLine & { bytes: number; found: string }>(peer.command(context), args))
    return {
      system: `${line.engine} + reader`,
      bytes: line.bytes,
      usesVectors: false,
      found: await numbersOf(folder, line, best),
    };
  throw new Error("Lucene printed no line.");
}

interface MiniSearchLike {
  addAll(documents: ReadonlyArray<PassageText & { id: number }>): void;
  search(question: string): Array<{ id: number }>;
}

type MiniSearchModule = { default: new (options: object) => MiniSearchLike };

/** @returns undefined if it is not installed */
async function loadMiniSearch(): Promise<MiniSearchModule | undefined> {
  const name = "minisearch";
  return import(name).catch(() => undefined);
}

/** Its defaults over titles and texts, saved as JSON with the texts. */
async function findWithMiniSearch({ passages, set, best }: SizedCorpus): Promise<FoundPassages[]> {
  const module = await loadMiniSearch();
  if (module === undefined) return [];
  const fields = ["title", "text"];
  const index = new module.default({ fields, storeFields: fields });
  index.addAll(passages.map((passage, id) => ({ id, ...passage })));
  const found = set.questions.map(({ question }) =>
    index
      .search(question)
      .slice(0, best)
      .map(({ id }) => id),
  );
  return [
    { system: "MiniSearch + reader", bytes: Buffer.byteLength(JSON.stringify(index)), usesVectors: false, found },
  ];
}

/** Vectors of passages as floats, as bytes, and quantised by products; the texts beside them as they are. */
async function findWithFaiss(corpus: SizedCorpus): Promise<FoundPassages[]> {
  const { set, folder, best, opened, context, textBytes } = corpus;
  const encoder = await context.models.encoder();
  const queries: Int16Array[] = [];
  for (const { question } of set.questions) {
    const encoded = await encoder.encodeQuestion(question);
    queries.push(prepareQuestion(encoded, opened.searcher).vector.values.slice());
  }
  const rows = corpus.passages.length;
  const dimensions = encoder.info.vector;
  const dense = { ...opened, queries, rows, dimensions };
  await writeDenseRows(folder, dense, best);
  const peer = PEER_ENGINES.find(({ name }) => name === "faiss")!;
  const args = [...peer.args(context), folder, String(dimensions), String(best)];
  const lastOfEach = new Map<string, FoundPassages>(); // the setting that searches the most lists
  for await (const line of runPeer<PeerLine & { bytesPerRow: number; found: string }>(peer.command(context), args)) {
    const bytes = Math.round(line.bytesPerRow * rows) + textBytes;
    const found = await numbersOf(folder, line, best);
    const system = `${line.engine} of our passage vectors + reader`;
    lastOfEach.set(line.engine, { system, bytes, usesVectors: true, found });
  }
  return [...lastOfEach.values()];
}

/** 2³² − 1 stands for nothing. */
async function numbersOf(folder: string, line: PeerLine & { found: string }, best: number): Promise<number[][]> {
  const lists = await foundBy(folder, line, best);
  return lists.map((list) => [...list].filter((number) => number !== 0xffffffff));
}
