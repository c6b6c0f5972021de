/** Bytes per byte of text against exact match: our levels, and other ways to find passages for the same reader. */

import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { openWriter } from "../../../adapters/node/index.js";
import { type OpenSearcher, openSearcher } from "../../../adapters/node/open-searcher.js";
import { exactMatch } from "../../../src/evaluate/exact-match.js";
import { f1 } from "../../../src/evaluate/f1.js";
import { type IndexLevel, LEVELS } from "../../../src/index/format/level.js";
import { readWholeDocument } from "../../../src/index/segment/whole-document.js";
import type { Document } from "../../../src/types.js";
import { textsOf } from "../../support/other-engines.js";
import { readBest } from "../../support/read-best.js";
import { encoderName, measuredWith, type PapersContext, readerName, type Table } from "../context.js";
import { type BuiltCorpus, buildCorpus, missingCorpus, sizesCorpus } from "../corpora.js";
import { installedPeers } from "../engine-peers.js";
import { meanOf } from "../figures.js";
import { SIZE_PEERS } from "../published-figures.js";
import { type FoundPassages, findWithPeers, missingSizePeers, type PassageText } from "../size-peers.js";
import {
  type AskedSystem,
  BM25_READER,
  DEFAULT_SYSTEM,
  figuresOf,
  judge,
  type QuestionSet,
  rowOver,
  squadSet,
} from "../systems.js";
import type { Figure, Measured, Row } from "../types.js";

const QUESTIONS = 1000;
/** Passages of a peer that the reader reads. */
const READ = 10;

const READER_OFF: AskedSystem = { name: "hybrid, reader off", options: { strategy: "hybrid", reader: "off" } };
const WAYS: Record<IndexLevel, readonly AskedSystem[]> = {
  full: [DEFAULT_SYSTEM, READER_OFF],
  thin: [DEFAULT_SYSTEM, READER_OFF],
  lexical: [BM25_READER],
};

export const sizes: Table = {
  name: "sizes",
  peers: SIZE_PEERS,
  async measure(context) {
    const corpus = await buildCorpus(sizesCorpus(context.largest), context);
    const { sample, questions } = context;
    const set = await squadSet(corpus, { most: QUESTIONS, sample, questions });
    const opened = await openSearcher(corpus.index, await context.models.encoder());
    try {
      const texts = await readTexts(opened);
      const row = rowOver(corpus, set);
      const rows: Row[] = [];
      for (const level of LEVELS.toReversed()) {
        const index = await indexAtLevel(corpus, level, { opened, context });
        const bytes = sizeFigures(await folderBytes(index), texts.textBytes);
        for (const way of WAYS[level]) {
          const part = `sizes/${level}/${way.name}`.replaceAll(" ", "-");
          const judgements = await judge(way, { part, set, corpus: { ...corpus, index }, context });
          rows.push(row(`${level}: ${way.name}`, judgements.measured, { ...bytes, ...figuresOf(judgements) }));
        }
      }
      for (const { system, bytes, em, f1, measured } of await judgePeers(corpus, { set, opened, texts, context })) {
        const figures = { EM: meanOf(em, 100), F1: meanOf(f1, 100) };
        rows.push(row(system, measured, { ...sizeFigures(bytes, texts.textBytes), ...figures }));
      }
      return rows;
    } finally {
      await opened.close();
    }
  },
  async notMeasured(context) {
    const missing = await missingSizePeers(context);
    return [...missingCorpus(sizesCorpus, context), ...missing.map((what) => ({ what }))];
  },
};

function sizeFigures(bytes: number, textBytes: number): Record<string, Figure> {
  return {
    "MB on disk": { value: Math.round(bytes / 1e5) / 10 },
    "times the text": { value: Math.round((100 * bytes) / textBytes) / 100 },
  };
}

async function folderBytes(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The documents of a corpus at another level, indexed once. */
async function indexAtLevel(
  corpus: BuiltCorpus,
  level: IndexLevel,
  { opened, context }: { opened: OpenSearcher; context: PapersContext },
): Promise<string> {
  if (level === "full") return corpus.index;
  const path = `${corpus.index}-${level}`;
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  context.log(`${corpus.name}: indexing at level ${level}`);
  const encoder = await context.models.encoder();
  const unfinished = `${path}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const { signal } = context.io;
  const writer = await openWriter({ path: unfinished, encoder, level, signal });
  try {
    await writer.add(documentsOf(opened, signal), { signal });
    await writer.commit();
  } finally {
    await writer.close();
  }
  await rename(unfinished, path);
  return path;
}

async function* documentsOf({ snapshot }: OpenSearcher, signal: AbortSignal): AsyncGenerator<Document> {
  for (const segment of snapshot.segments)
    for (let n = 0; n < segment.documentCount; n++) yield await readWholeDocument(segment, n, signal);
}

interface Texts {
  passages: PassageText[];
  /** UTF-8 bytes of all documents. */
  textBytes: number;
}

/** The texts of a corpus, passages by their numbers over all segments. */
async function readTexts({ snapshot, searcher }: OpenSearcher): Promise<Texts> {
  const documents = await textsOf(snapshot);
  const { firstDocuments } = searcher.numbering;
  const passages: PassageText[] = [];
  for (const [s, segment] of snapshot.segments.entries()) {
    for (let n = 0; n < segment.passageCount; n++) {
      const { document, start, end } = segment.passage(n);
      const { title, text } = documents[firstDocuments[s]! + document]!;
      passages.push({ title, text: text.slice(start, end) });
    }
  }
  return { passages, textBytes: documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) };
}

interface JudgedPeer {
  system: string;
  bytes: number;
  /** Per question. */
  em: number[];
  f1: number[];
  measured: Measured;
}

/** Peers find passages, and the same reader reads them. */
async function judgePeers(
  corpus: BuiltCorpus,
  { set, opened, texts, context }: { set: QuestionSet; opened: OpenSearcher; texts: Texts; context: PapersContext },
): Promise<JudgedPeer[]> {
  const model = [await encoderName(context.models), await readerName(context.models)];
  const peers = (await installedPeers(context)).map(({ name }) => name);
  const inputs = { model, corpus: corpus.index, ids: set.questions.map(({ id }) => id), peers, read: READ };
  return context.parts.part("sizes/peers", inputs, async () => {
    context.log(`${corpus.name}: other ways to find passages`);
    const folder = join(context.work, "sizes");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    try {
      const found = await findWithPeers({ ...texts, set, folder, best: READ, opened, context });
      const judged: JudgedPeer[] = [];
      for (const peer of found) {
        context.log(`${corpus.name}, ${set.name}: ${peer.system}`);
        judged.push(await judgePeer(peer, { set, texts, opened, context }));
      }
      return judged;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function judgePeer(
  { system, bytes, usesVectors, found }: FoundPassages,
  about: { set: QuestionSet; texts: Texts; opened: OpenSearcher; context: PapersContext },
): Promise<JudgedPeer> {
  const { set, texts, opened, context } = about;
  const { models, io } = context;
  const parts = { encoder: await models.encoder(), reader: await models.reader(), searcher: opened.searcher };
  const marks = { em: [] as number[], f1: [] as number[] };
  for (const [n, { question, answers }] of set.questions.entries()) {
    io.signal.throwIfAborted();
    const answer = await readBest(
      question,
      found[n]!.map((number) => texts.passages[number]!),
      parts,
    );
    marks.em.push(exactMatch(answer, answers));
    marks.f1.push(f1(answer, answers));
  }
  const names = [...(usesVectors ? [await encoderName(models)] : []), await readerName(models)];
  return { system, bytes, ...marks, measured: measuredWith(names.join(", "), context) };
}
