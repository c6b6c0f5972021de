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
import { compileFilter } from "./filter/evaluate.js";
import { type CheckOptions, type CheckReport, checkIndex } from "./index/check.js";
import type { CompactOptions, CompactReport } from "./index/compact.js";
import { type IndexInfo, indexInfo } from "./index/info.js";
import { committedVersions, readManifest } from "./index/manifest.js";
import type { DocumentMove } from "./index/move.js";
import type { Storage } from "./index/ports.js";
import type { Durability } from "./index/relaxed.js";
import { type OpenSnapshot, openSnapshot } from "./index/snapshot.js";
import type { StoredDocument } from "./index/stored-documents.js";
import type { TermUnit } from "./index/types.js";
import { type IndexWriter, openIndexWriter } from "./index/writer.js";
import { type IngestOptions, type IngestProgress, ingest } from "./ingest.js";
import { createKernel, type Kernel } from "./math/kernel.js";
import { type AnswerOptions, type AskResult, type AskStep, askSteps } from "./read/ask.js";
import type { Reader } from "./read/types.js";
import { SearchSession } from "./search/session.js";
import type { RankedPassage } from "./search/types.js";
import type { Document } from "./types.js";

export interface OpenIndexOptions {
  storage: Storage;
  encoder: Encoder;
  /** Reads question and passage together, where asked to. It stays the caller's to close. Default: none. */
  reader?: Reader;
  /** Default: the WASM SIMD kernel, or its TypeScript twin where there is no SIMD. */
  kernel?: Kernel;
  /** Read your writes: the version that a commit returned, or a newer one, must be there. */
  atLeastVersion?: number;
  signal?: AbortSignal;
}

export type AskOptions = AnswerOptions & {
  /** `filter` in words, as `year >= 2020 and tag = "ops"`: docs/cli.md has the language. Not together with `filter`. */
  where?: string;
};

export type { IndexInfo } from "./index/info.js";

/** A version that is open, and the questions that are being answered from it. */
interface OpenVersion {
  snapshot: OpenSnapshot;
  session: SearchSession;
  questions: number;
  /** Closed as soon as no question needs it. */
  retired: boolean;
}

/** An open index: one version, until `refresh` or `close`. Asking never changes it. */
export class Index {
  readonly #options: OpenIndexOptions;
  readonly #kernel: Kernel;
  #current: OpenVersion;
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(options: OpenIndexOptions, kernel: Kernel, snapshot: OpenSnapshot) {
    this.#options = options;
    this.#kernel = kernel;
    this.#current = openVersion(options, kernel, snapshot);
  }

  /** Number of the commit that questions are answered from. */
  get version(): number {
    return this.#current.snapshot.version;
  }

  get info(): IndexInfo {
    return indexInfo(this.#current.snapshot);
  }

  /**
   * Goes to the newest version, when there is a newer one. Questions under way are answered from the version that they began with. On an
   * error the index stays as it was.
   * @returns the version
   * @throws VerbatimError as `openIndex`
   */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    const result = this.#refreshing.then(async () => {
      const { storage, encoder } = this.#options;
      const before = this.#current;
      if (before.retired) throw new VerbatimError("invalid-argument", "The index is closed.");
      const newest = committedVersions(await storage.list())[0];
      if (newest === before.snapshot.version && newest >= (options.atLeastVersion ?? 0)) return newest;
      const expectModelHash = encoder.info.passageModelHash;
      const snapshot = await openSnapshot(storage, { ...options, expectModelHash });
      try {
        this.#current = openVersion(this.#options, this.#kernel, snapshot);
      } catch (error) {
        await snapshot.close();
        throw error;
      }
      await retire(before);
      return snapshot.version;
    });
    this.#refreshing = result.catch(() => {});
    return result;
  }

  /**
   * The best answers, exact spans of the documents, best first.
   * @throws VerbatimError `invalid-argument` for an empty question, an option out of range or a `where` that cannot be read (then a
   *   `FilterSyntaxError`, which has the place), `aborted`
   */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    for await (const { last, build } of this.#steps(question, options)) if (last) return await build();
    throw new VerbatimError("internal", "A question ended without a last step.");
  }

  /**
   * As `ask`, with the answer so far: first what phrase search says, then after every batch that the reader has read. The last one is what
   * `ask` gives.
   */
  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    for await (const { build } of this.#steps(question, options)) yield await build();
  }

  /** The open version stays open until the generator ends or is left. */
  async *#steps(question: string, options: AskOptions): AsyncGenerator<AskStep, void> {
    if (question.trim() === "") {
      throw new VerbatimError("invalid-argument", "The question is empty.", { hint: "Ask with at least one word." });
    }
    const { signal } = options;
    throwIfAborted(signal);
    const answerOptions = withWhere(options);
    const started = performance.now();
    const encoded = await this.#options.encoder.encodeQuestion(question, signal === undefined ? {} : { signal });
    const elapsed = performance.now() - started;
    const version = this.#current;
    version.questions++;
    try {
      const request = { reader: this.#options.reader, elapsed, options: answerOptions };
      for await (const { last, build } of askSteps(version.session, encoded, request)) {
        const timed = async (): Promise<AskResult> => {
          const result = await build();
          result.steps.encode = elapsed;
          result.tookMs = performance.now() - started;
          return result;
        };
        yield { last, build: timed };
      }
    } finally {
      version.questions--;
      if (version.retired) await retire(version);
    }
  }

  /** Answers many questions one after another, in order. */
  async *askMany(
    questions: Iterable<string> | AsyncIterable<string>,
    options: AskOptions = {},
  ): AsyncGenerator<AskResult> {
    for await (const question of questions) yield await this.ask(question, options);
  }

  /** As `ask`, each answer with the four parts of its score and the n-grams that raised it. */
  explain(question: string, options: AskOptions = {}): Promise<AskResult> {
    return this.ask(question, { ...options, explain: true });
  }

  /** The passages that were read for a question, best first. */
  async passages(question: string, options: AskOptions = {}): Promise<RankedPassage[]> {
    return (await this.ask(question, options)).passages;
  }

  /** Reads every byte of the newest version and checks every checksum, bound and offset; reports damage, never throws for it. */
  check(options: CheckOptions = {}): Promise<CheckReport> {
    return checkIndex(this.#options.storage, options);
  }

  /** Releases files and memory; a question that is under way fails. The encoder stays the caller's. */
  async close(): Promise<void> {
    await this.#refreshing;
    this.#current.questions = 0;
    await retire(this.#current);
  }
}

function withWhere({ where, ...options }: AskOptions): AnswerOptions {
  if (where === undefined) return options;
  if (options.filter !== undefined) {
    const hint = "Give one of them; a filter function may look at the fields itself.";
    throw new VerbatimError("invalid-argument", "where and filter were both given.", { hint });
  }
  const { passes: filter, key: filterKey } = compileFilter(where);
  return { ...options, filter, filterKey };
}

function openVersion(options: OpenIndexOptions, kernel: Kernel, snapshot: OpenSnapshot): OpenVersion {
  const { encoder } = options;
  const session = new SearchSession({ snapshot, kernel, model: encoder.info, tokenizer: encoder.tokenizer });
  return { snapshot, session, questions: 0, retired: false };
}

async function retire(version: OpenVersion): Promise<void> {
  version.retired = true;
  if (version.questions > 0) return;
  version.session.close();
  await version.snapshot.close();
}

/**
 * Opens the newest committed version of an index.
 * @throws VerbatimError `index-missing`, `invalid-argument` (older than `atLeastVersion`), `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, `model-mismatch`
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { storage, encoder, signal, atLeastVersion } = options;
  const expectModelHash = encoder.info.passageModelHash;
  const snapshot = await openSnapshot(storage, { signal, expectModelHash, atLeastVersion });
  try {
    return new Index(options, options.kernel ?? createKernel(), snapshot);
  } catch (error) {
    await snapshot.close();
    throw error;
  }
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

  /** Number of the last commit; 0 before the first. */
  get version(): number {
    return this.#writer.version;
  }

  /** Documents that are not deleted, those not committed yet included. */
  get documentCount(): number {
    return this.#writer.documentCount;
  }

  /** What is known of a document, those not committed yet included. */
  has(id: string): { contentHash: string } | undefined {
    return this.#writer.has(id);
  }

  /** All documents that are not deleted, those not committed yet included, in the order of the index: names only, no texts. */
  documents(options: { signal?: AbortSignal } = {}): AsyncGenerator<StoredDocument> {
    return this.#writer.documents(options);
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

  /**
   * Deletes documents by id, or those that the predicate is true of. They are gone with the next commit.
   * @returns how many there were; an unknown id counts nothing
   */
  async delete(
    which: Iterable<string> | ((document: StoredDocument) => boolean),
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    if (typeof which === "function") return this.#writer.deleteWhere(which, options);
    if (typeof which === "string")
      throw new VerbatimError("invalid-argument", "Ids are a list.", { hint: `Call delete(["${which}"]).` });
    let gone = 0;
    for (const id of which) if (this.#writer.delete(id)) gone++;
    return gone;
  }

  /**
   * Gives documents another id, source and metadata without encoding them again; text and title stay as they are. Visible with the next
   * commit.
   * @returns how many were moved; an unknown `from` is passed over
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#writer.move(moves, options);
  }

  /** Merges small segments and those with many deletions, and commits; readers and this writer go on meanwhile. */
  compact(options: CompactOptions = {}): Promise<CompactReport> {
    return this.#writer.compact(options);
  }

  /** Makes everything added and deleted so far durable and visible. @returns the version, for `atLeastVersion` of a reader */
  commit(): Promise<number> {
    return this.#writer.commit();
  }

  /** Waits for a merge in the background, and gives the lock back. What was not committed is dropped. */
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
  /** "full" (default): an acknowledged commit is on the disk. "relaxed": docs/durability.md says what a power cut may take. */
  durability?: Durability;
  /** Merge small segments in the background after a commit. Default true. */
  autoMerge?: boolean;
  /** Told why a merge in the background came to nothing; the index is as it was, and the next commit tries again. */
  onMergeError?: (error: unknown) => void;
  signal?: AbortSignal;
}): Promise<Writer> {
  const { storage, encoder, signal, durability, autoMerge = true, onMergeError } = options;
  const termUnit = options.termUnit ?? (await currentTermUnit(storage, signal)) ?? "passage";
  const writer = await openIndexWriter(storage, {
    model: encoder.info,
    ...{ termUnit, signal, durability, autoMerge, onMergeError },
  });
  return new Writer({ writer, encoder, termUnit });
}
