/** Corpora drawn from the files of --data, and their indexes, which are built once. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { cp, mkdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { indexPaths } from "../../adapters/node/ingest/index-paths.js";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { hashOf, type NotMeasured, type PapersContext } from "./context.js";
import type { DataFile } from "./data-files.js";
import { SEED } from "./figures.js";
import { writeWhole } from "./part-store.js";
import { countSquad, type SquadJson, sampleSquad } from "./squad-sample.js";

export interface Source {
  file: Extract<DataFile, "enwiki" | "simplewiki" | "zhwiki">;
  /** Articles in the file, or the number of its first articles that are used. */
  articles: number;
  /** Articles drawn from these; default: all. */
  wanted?: number;
}

/** The paragraphs that questions are about, and articles of the sources. */
export interface Corpus {
  key: string;
  name: string;
  /** The set of questions, in SQuAD's layout. */
  asked: Extract<DataFile, "squad" | "cmrc">;
  sources: readonly Source[];
  /** A smaller corpus that is part of this one: its index is copied, and only the other articles are encoded. */
  grownFrom?: Corpus;
}

const ENWIKI: Source = { file: "enwiki", articles: 26_781 };
const SIMPLEWIKI: Source = { file: "simplewiki", articles: 108_055 };

/** Documents of the corpora from Simple English Wikipedia, SQuAD dev's paragraphs included. */
const SIZES = [5_000, 20_000, 52_000, 110_000];
const SQUAD_PARAGRAPHS = 2_067;

const SIMPLEWIKI_CORPORA: Corpus[] = [];
for (const documents of SIZES) {
  SIMPLEWIKI_CORPORA.push({
    key: `simplewiki-${documents}`,
    name: `${documents / 1000} k documents: Simple English Wikipedia, SQuAD dev paragraphs`,
    asked: "squad",
    sources: [{ ...SIMPLEWIKI, wanted: documents - SQUAD_PARAGRAPHS }],
    grownFrom: SIMPLEWIKI_CORPORA.at(-1),
  });
}

const ENWIKI_CORPUS: Corpus = {
  key: "enwiki",
  asked: "squad",
  name: "English Wikipedia (2015), SQuAD dev paragraphs",
  sources: [ENWIKI],
};

/** The corpora of the scaling study, smallest first. */
export const GROWING: readonly Corpus[] = [...SIMPLEWIKI_CORPORA, ENWIKI_CORPUS];

/** The first articles of the file have 50,000 passages of the multilingual model. */
const FIRST_ZHWIKI = 18_842;

/** The corpus of open questions. */
const WIKIPEDIA: Corpus = {
  key: "wikipedia",
  asked: "squad",
  name: "English (2015) and Simple English Wikipedia, SQuAD dev paragraphs",
  sources: [ENWIKI, SIMPLEWIKI],
  grownFrom: ENWIKI_CORPUS,
};

/** The corpora that `--smallest` and `--largest` choose from, smallest first. */
export const CORPORA: readonly Corpus[] = [...GROWING, WIKIPEDIA];

/** Values of `--smallest` and `--largest`. */
export const CORPUS_KEYS: readonly string[] = CORPORA.map(({ key }) => key);

type Limits = Partial<Pick<PapersContext, "smallest" | "largest">>;

/** Whether a run measures over a corpus: `--smallest` leaves out smaller ones, `--largest` larger ones. */
export function isWithin({ key }: Corpus, { smallest = CORPUS_KEYS[0]!, largest = WIKIPEDIA.key }: Limits): boolean {
  const place = CORPUS_KEYS.indexOf(key);
  return CORPUS_KEYS.indexOf(smallest) <= place && place <= CORPUS_KEYS.indexOf(largest);
}

/** The corpus of open questions: the largest that `--largest` allows. */
export function openCorpus(largest = WIKIPEDIA.key): Corpus {
  return CORPORA[CORPUS_KEYS.indexOf(largest)]!;
}

/** The corpus on which engines are compared: the largest of articles from Simple English Wikipedia. */
export function engineCorpus(largest?: string): Corpus {
  return SIMPLEWIKI_CORPORA.findLast((corpus) => isWithin(corpus, { largest }))!;
}

/** The corpus on which sizes are compared: its documents are indexed at every level. */
export function sizesCorpus(largest?: string): Corpus {
  return SIMPLEWIKI_CORPORA.slice(0, 2).findLast((corpus) => isWithin(corpus, { largest }))!;
}

/** The corpus of open questions in Chinese: 50,000 passages of articles. */
export const CHINESE_WIKIPEDIA: Corpus = {
  key: "chinese",
  asked: "cmrc",
  name: "CMRC 2018 dev paragraphs, first articles of Chinese Wikipedia",
  sources: [{ file: "zhwiki", articles: FIRST_ZHWIKI }],
};

/** The corpus of a full run, if `--largest` chooses a smaller one. */
export function missingCorpus(choose: (largest?: string) => Corpus, { largest }: PapersContext): NotMeasured[] {
  const { name } = choose();
  return choose(largest).name === name ? [] : [{ what: `the same over ${name}`, corpus: name }];
}

export interface BuiltCorpus {
  name: string;
  index: string;
  /** The file in SQuAD's layout whose paragraphs are in the corpus. */
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

/** A sample's share of the corpus: its questions' share of the set's (SQuAD dev is the largest of several). */
async function sampleShare({ asked }: Corpus, { data, sample }: PapersContext): Promise<number> {
  if (sample === undefined) return 1;
  return Math.min(1, sample / countSquad((await data.json(asked)) as SquadJson).questions);
}

/**
 * Draws the corpus and indexes it, unless that was done before with the same encoder and sample.
 * A stopped build continues.
 * @throws VerbatimError `unreadable-document` (a missing or truncated file), `out-of-space`, …
 */
export async function buildCorpus(corpus: Corpus, context: PapersContext): Promise<BuiltCorpus> {
  const encoder = await context.models.encoder();
  const size = context.sample === undefined ? "full" : `sample-${context.sample}`;
  const { passageModelHash, storage } = encoder.info;
  const hash = hashOf([passageModelHash, storage]).slice(0, 8);
  const folder = join(context.work, "corpora", `${corpus.key}-${size}-${hash}`);
  const finished = join(folder, "built.json");
  const built = await readFile(finished, "utf8").catch(() => undefined);
  if (built !== undefined) return JSON.parse(built) as BuiltCorpus;
  const before = corpus.grownFrom && (await buildCorpus(corpus.grownFrom, context));
  await mkdir(folder, { recursive: true });
  const whole = (await context.data.json(corpus.asked)) as SquadJson;
  const squad = join(folder, "squad.json");
  await writeWhole(squad, JSON.stringify(sampleSquad(whole, context.sample)));
  const leftOut = new Set(whole.data.map(({ title }) => plainTitle(title)));
  const articles = join(folder, "articles.jsonl");
  await writeArticles(articles, corpus, { context, leftOut });
  await requireSpace(folder, (await stat(articles)).size * INDEX_BYTES_OF_TEXT);
  const index = join(folder, "index");
  const { signal } = context.io;
  context.log(`${corpus.name}: indexing`);
  if (before === undefined) await indexPaths([squad], { index, format: "squad", encoder, signal });
  else await copyWhole(before.index, index);
  const { total } = await indexPaths([articles], { index, format: "jsonl", encoder, signal });
  throwIfAborted(signal);
  const { documents, passages } = total!;
  const share = await sampleShare(corpus, context);
  const name = share < 1 ? `a sample (${(100 * share).toPrecision(2)} %) of ${corpus.name}` : corpus.name;
  const result: BuiltCorpus = { name, index, squad, documents, passages };
  await writeWhole(finished, JSON.stringify(result));
  return result;
}

/** Copies a folder so that the copy is either complete or missing; an existing one is kept. */
async function copyWhole(from: string, to: string): Promise<void> {
  if ((await stat(to).catch(() => undefined)) !== undefined) return;
  await rm(`${to}.new`, { recursive: true, force: true });
  await cp(from, `${to}.new`, { recursive: true });
  await rename(`${to}.new`, to);
}

const ID_AT_START = /^\{"id": "([^"\\]*)"/;

/** Writes the articles of a corpus that are not in the corpus it is grown from. */
async function writeArticles(
  path: string,
  corpus: Corpus,
  { context, leftOut }: { context: PapersContext; leftOut: ReadonlySet<string> },
): Promise<void> {
  const sampled = await sampleShare(corpus, context);
  const output = createWriteStream(path);
  for (const source of corpus.sources) {
    const before = corpus.grownFrom?.sources.find(({ file }) => file === source.file);
    const share = sampled * shareOf(source);
    const shareBefore = before === undefined ? 0 : sampled * shareOf(before);
    if (share === shareBefore) continue;
    const lines = linesOfXz(await context.data.path(source.file), context.io.signal);
    for await (const article of drawArticles(lines, source, { share, shareBefore, leftOut }))
      if (!output.write(`${JSON.stringify(article)}\n`)) await once(output, "drain");
  }
  output.end();
  await once(output, "finish");
}

const shareOf = ({ articles, wanted = articles }: Source): number => wanted / articles;

/**
 * The drawn ones of a source's articles, whose ids get the name of the file.
 * @param options.share  of the articles that are drawn, 0 to 1
 * @param options.shareBefore  of the articles that a smaller corpus has, which are left out; default: 0
 * @param options.leftOut  titles, as `plainTitle` writes them
 * @throws VerbatimError `unreadable-document` for a line that is cut off
 */
export async function* drawArticles(
  lines: AsyncIterable<string>,
  { file, articles }: Source,
  { share, shareBefore = 0, leftOut }: { share: number; shareBefore?: number; leftOut: ReadonlySet<string> },
): AsyncGenerator<Article> {
  const isWanted = (id: string): boolean => isDrawn(`${file}/${id}`, share) && !isDrawn(`${file}/${id}`, shareBefore);
  let read = 0;
  for await (const line of lines) {
    if (++read > articles) return;
    const first = ID_AT_START.exec(line)?.[1]; // most lines of a sample need no parsing
    if (first !== undefined && !isWanted(first)) continue;
    const { id, title, text } = parseArticle(line, file);
    if (!isWanted(id) || leftOut.has(plainTitle(title))) continue;
    yield { id: `${file}/${id}`, title, text };
  }
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
