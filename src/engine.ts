/**
 * The façade of Verbatim: open an index and ask it, or open a writer and fill it.
 *
 *     const index = await openIndex({ storage, encoder });
 *     const { answers } = await index.ask("who founded the observatory?");
 *
 * Pure: the runtime comes in through the ports. `verbatim-qa/node` has the same two functions taking paths.
 */

import type { Encoder } from "./encode/types.js";
import { throwIfAborted, VerbatimError } from "./errors.js";
import { type CheckReport, checkIndex } from "./index/check.js";
import { committedVersions, readManifest } from "./index/manifest.js";
import type { Storage } from "./index/ports.js";
import { openSnapshot } from "./index/snapshot.js";
import type { IndexSnapshot, TermUnit } from "./index/types.js";
import { type IndexWriter, openIndexWriter } from "./index/writer.js";
import { type IngestOptions, type IngestProgress, ingest } from "./ingest.js";
import { createKernel, type Kernel } from "./math/kernel.js";
import { search } from "./search/search.js";
import { SearchSession } from "./search/session.js";
import type { RankedPassage, SearchOptions, SearchResult } from "./search/types.js";
import type { Document } from "./types.js";

export interface OpenIndexOptions {
  storage: Storage;
  encoder: Encoder;
  /** Default: the WASM SIMD kernel, or its TypeScript twin where there is no SIMD. */
  kernel?: Kernel;
  signal?: AbortSignal;
}

export type AskOptions = Partial<SearchOptions>;

export interface IndexInfo {
  version: number;
  formatVersion: number;
  documents: number;
  passages: number;
  /** Kept start rows: phrases that can be found. */
  phrases: number;
  tokens: number;
  segments: number;
  bytes: number;
  termUnit: TermUnit;
  model: string;
  passageModelHash: string;
}

/** An open index: one version, until `close`. Asking never changes it. */
export class Index {
  readonly #storage: Storage;
  readonly #encoder: Encoder;
  readonly #snapshot: IndexSnapshot;
  readonly #session: SearchSession;

  constructor(parts: { storage: Storage; encoder: Encoder; snapshot: IndexSnapshot; session: SearchSession }) {
    this.#storage = parts.storage;
    this.#encoder = parts.encoder;
    this.#snapshot = parts.snapshot;
    this.#session = parts.session;
  }

  get info(): IndexInfo {
    const { segments } = this.#snapshot;
    const sum = (value: (segment: (typeof segments)[number]) => number): number =>
      segments.reduce((total, segment) => total + value(segment), 0);
    return {
      version: this.#snapshot.version,
      formatVersion: this.#snapshot.formatVersion,
      documents: this.#snapshot.documentCount,
      passages: this.#snapshot.passageCount,
      phrases: sum((segment) => segment.startRowCount),
      tokens: sum((segment) => segment.tokenCount),
      segments: segments.length,
      bytes: this.#snapshot.bytes,
      termUnit: segments[0]?.termUnit ?? "passage",
      model: this.#encoder.info.name,
      passageModelHash: this.#snapshot.passageModelHash,
    };
  }

  /**
   * The best answers, exact spans of the documents, best first.
   * @throws VerbatimError `invalid-argument` for an empty question or an option out of range, `aborted`
   */
  async ask(question: string, options: AskOptions = {}): Promise<SearchResult> {
    if (question.trim() === "") {
      throw new VerbatimError("invalid-argument", "The question is empty.", { hint: "Ask with at least one word." });
    }
    throwIfAborted(options.signal);
    const started = performance.now();
    const encoded = await this.#encoder.encodeQuestion(
      question,
      options.signal === undefined ? {} : { signal: options.signal },
    );
    const encodedAt = performance.now();
    const result = await search(this.#session, encoded, options);
    result.steps.encode = encodedAt - started;
    result.tookMs = performance.now() - started;
    return result;
  }

  /** Answers many questions one after another, in order. */
  async *askMany(
    questions: Iterable<string> | AsyncIterable<string>,
    options: AskOptions = {},
  ): AsyncGenerator<SearchResult> {
    for await (const question of questions) yield await this.ask(question, options);
  }

  /** As `ask`, each answer with the four parts of its score and the n-grams that raised it. */
  explain(question: string, options: AskOptions = {}): Promise<SearchResult> {
    return this.ask(question, { ...options, explain: true });
  }

  /** The passages that were read for a question, best first. */
  async passages(question: string, options: AskOptions = {}): Promise<RankedPassage[]> {
    return (await this.ask(question, options)).passages;
  }

  /** Reads every byte and checks every checksum, bound and offset; reports damage, never throws for it. */
  check(options: { signal?: AbortSignal } = {}): Promise<CheckReport> {
    return checkIndex(this.#storage, options);
  }

  /** Releases files and memory. The encoder stays the caller's. */
  async close(): Promise<void> {
    this.#session.close();
    await this.#snapshot.close();
  }
}

/**
 * Opens the newest committed version of an index.
 * @throws VerbatimError `index-missing`, `corrupt-manifest`, `corrupt-segment`, `unsupported-format`, `model-mismatch`
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { storage, encoder, signal } = options;
  const snapshot = await openSnapshot(storage, { signal, expectModelHash: encoder.info.passageModelHash });
  const kernel = options.kernel ?? createKernel();
  const session = new SearchSession({ snapshot, kernel, model: encoder.info, tokenizer: encoder.tokenizer });
  return new Index({ storage, encoder, snapshot, session });
}

/** An open writer: the one that may change an index. Every commit is a new version; readers keep theirs. */
export class Writer {
  readonly #writer: IndexWriter;
  readonly #encoder: Encoder;
  readonly #termUnit: TermUnit;

  constructor(parts: { writer: IndexWriter; encoder: Encoder; termUnit: TermUnit }) {
    this.#writer = parts.writer;
    this.#encoder = parts.encoder;
    this.#termUnit = parts.termUnit;
  }

  /**
   * Encodes and adds documents; one whose content is already there is left alone, one with a known id and new content is replaced.
   * Full segments are committed on the way; the rest is on disk after `commit`.
   */
  add(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: Omit<IngestOptions, "termUnit"> = {},
  ): Promise<IngestProgress> {
    return ingest(documents, this.#writer, { ...options, encoder: this.#encoder, termUnit: this.#termUnit });
  }

  /** The same as `add`: a document with a known id replaces the old one. */
  update(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: Omit<IngestOptions, "termUnit"> = {},
  ): Promise<IngestProgress> {
    return this.add(documents, options);
  }

  /** Ids of the documents that were there and will be gone with the next commit. */
  async delete(ids: Iterable<string>): Promise<string[]> {
    const gone: string[] = [];
    for (const id of ids) if (await this.#writer.delete(id)) gone.push(id);
    return gone;
  }

  /** Makes everything added and deleted so far durable and visible. @returns the version */
  commit(): Promise<number> {
    return this.#writer.commit();
  }

  /** Gives the lock back. What was not committed is dropped. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}

/** What an existing index was made with; undefined for a new one. */
async function currentTermUnit(storage: Storage, signal: AbortSignal | undefined): Promise<TermUnit | undefined> {
  if (!(await storage.exists())) return undefined;
  const version = committedVersions(await storage.list())[0];
  return version === undefined ? undefined : (await readManifest(storage, version, signal)).manifest.termUnit;
}

/**
 * Opens (or creates) an index for writing.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `permission-denied`, and those of `openIndex`
 */
export async function openWriter(options: {
  storage: Storage;
  encoder: Encoder;
  /** What one unit of the term postings is, for a new index; an existing one keeps its own. Default "passage". */
  termUnit?: TermUnit;
  signal?: AbortSignal;
}): Promise<Writer> {
  const { storage, encoder, signal } = options;
  const termUnit = options.termUnit ?? (await currentTermUnit(storage, signal)) ?? "passage";
  const writer = await openIndexWriter(storage, { model: encoder.info, termUnit, signal });
  return new Writer({ writer, encoder, termUnit });
}
