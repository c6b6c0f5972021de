/** Corpora drawn from the files of --data, and their indexes, which are built once. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { indexPaths } from "../../adapters/node/ingest/index-paths.js";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { hashOf, type PapersContext } from "./context.js";
import type { DataFile } from "./data-files.js";
import { SEED } from "./figures.js";
import { writeWhole } from "./part-store.js";
import { countSquad, type SquadJson, sampleSquad } from "./squad-sample.js";

export interface Source {
  file: Extract<DataFile, "enwiki" | "simplewiki">;
  /** Articles in the file. */
  articles: number;
  /** Articles wanted; default: all. */
  wanted?: number;
}

/** SQuAD dev's paragraphs and articles of the sources. */
export interface Corpus {
  key: string;
  name: string;
  sources: readonly Source[];
}

export const ENWIKI: Source = { file: "enwiki", articles: 26_781 };
export const SIMPLEWIKI: Source = { file: "simplewiki", articles: 108_055 };

/** The corpus of open questions. */
export const WIKIPEDIA: Corpus = {
  key: "wikipedia",
  name: "English (2015) and Simple English Wikipedia, SQuAD dev paragraphs",
  sources: [ENWIKI, SIMPLEWIKI],
};

export interface BuiltCorpus {
  name: string;
  index: string;
  /** The SQuAD file whose paragraphs are in the corpus. */
  squad: string;
  documents: number;
  passages: number;
}

/** Bytes of an index per byte of text (7.9 in docs/evaluation.md), with room for merging segments. */
const INDEX_BYTES_OF_TEXT = 12;

/** Whether an article is drawn: by the hash of its id, so that a smaller draw is part of a larger. */
export function isDrawn(id: string, share: number): boolean {
  const hash = createHash("sha256").update(`${SEED}:${id}`).digest().readUInt32BE(0);
  return hash < share * 2 ** 32;
}

/** A sample's share of the corpus: its questions' share of SQuAD dev's, the largest set. */
async function sampleShare({ data, sample }: PapersContext): Promise<number> {
  if (sample === undefined) return 1;
  return Math.min(1, sample / countSquad((await data.json("squad")) as SquadJson).questions);
}

/**
 * Draws the corpus and indexes it, unless that was done before with the same encoder and sample.
 * A stopped build continues.
 * @throws VerbatimError `unreadable-document` (a missing or truncated file), `out-of-space`, …
 */
export async function buildCorpus(corpus: Corpus, context: PapersContext): Promise<BuiltCorpus> {
  const encoder = await context.models.encoder();
  const size = context.sample === undefined ? "full" : `sample-${context.sample}`;
  const { passageModelHash, storage, coarseCentroids } = encoder.info;
  const hash = hashOf([passageModelHash, storage, coarseCentroids]).slice(0, 8);
  const folder = join(context.work, "corpora", `${corpus.key}-${size}-${hash}`);
  const finished = join(folder, "built.json");
  const built = await readFile(finished, "utf8").catch(() => undefined);
  if (built !== undefined) return JSON.parse(built) as BuiltCorpus;
  await mkdir(folder, { recursive: true });
  const whole = (await context.data.json("squad")) as SquadJson;
  const squad = join(folder, "squad.json");
  await writeWhole(squad, JSON.stringify(sampleSquad(whole, context.sample)));
  const leftOut = new Set(whole.data.map(({ title }) => plainTitle(title)));
  const articles = join(folder, "articles.jsonl");
  await writeArticles(articles, corpus.sources, { context, leftOut });
  await requireSpace(folder, (await stat(articles)).size * INDEX_BYTES_OF_TEXT);
  const index = join(folder, "index");
  const { signal } = context.io;
  context.log(`${corpus.name}: indexing`);
  await indexPaths([squad], { index, format: "squad", encoder, signal });
  const { total } = await indexPaths([articles], { index, format: "jsonl", encoder, signal });
  throwIfAborted(signal);
  const { documents, passages } = total!;
  const share = await sampleShare(context);
  const name = share < 1 ? `a sample (${(100 * share).toPrecision(2)} %) of ${corpus.name}` : corpus.name;
  const result: BuiltCorpus = { name, index, squad, documents, passages };
  await writeWhole(finished, JSON.stringify(result));
  return result;
}

const ID_AT_START = /^\{"id": "([^"\\]*)"/;

async function writeArticles(
  path: string,
  sources: readonly Source[],
  { context, leftOut }: { context: PapersContext; leftOut: ReadonlySet<string> },
): Promise<void> {
  const share = await sampleShare(context);
  const output = createWriteStream(path);
  for (const { file, articles, wanted = articles } of sources) {
    for await (const line of linesOfXz(await context.data.path(file), context.io.signal)) {
      const drawnShare = (share * wanted) / articles;
      const first = ID_AT_START.exec(line)?.[1]; // most lines of a sample need no parsing
      if (first !== undefined && !isDrawn(`${file}/${first}`, drawnShare)) continue;
      const { id, title, text } = parseArticle(line, file);
      if (!isDrawn(`${file}/${id}`, drawnShare) || leftOut.has(plainTitle(title))) continue;
      if (!output.write(`${JSON.stringify({ id: `${file}/${id}`, title, text })}\n`)) await once(output, "drain");
    }
  }
  output.end();
  await once(output, "finish");
}

interface Article {
  id: string;
  title: string;
  text: string;
}

/** @throws VerbatimError `unreadable-document` for a line that is cut off */
function parseArticle(line: string, file: string): Article {
  try {
    return JSON.parse(line) as Article;
  } catch (cause) {
    throw new VerbatimError("unreadable-document", `The corpus ${file} has an incomplete line.`, {
      cause,
      hint: "Copy the file again: it may be truncated.",
    });
  }
}

const plainTitle = (title: string): string => title.replaceAll("_", " ").toLowerCase();

/** @throws VerbatimError `unreadable-document` if the file is truncated or xz is not installed */
async function* linesOfXz(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const child = spawn("xz", ["-dc", path], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<number | null>((done) => child.on("close", done).on("error", () => done(null)));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      throwIfAborted(signal);
      yield line;
    }
    if ((await ended) === 0) return;
  } finally {
    child.kill();
  }
  throw new VerbatimError("unreadable-document", `${path} cannot be decompressed completely.`, {
    where: path,
    hint: "Install xz, or copy the file again.",
  });
}

async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw new VerbatimError("out-of-space", `The index needs about ${Math.ceil(bytes / 1e9)} GB in ${folder}.`, {
    where: folder,
    hint: "Free space, or name another folder with --work.",
  });
}
