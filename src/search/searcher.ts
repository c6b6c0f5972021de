/** An open snapshot, and what searching it caches: vectors, norms, some postings and records. */

import type { EncodedPassage, Encoder, ModelInfo, PassageInput } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { IndexLevel } from "../index/format/level.js";
import type { DocumentRecord, IndexSnapshot, SegmentReader, StoredPassage, TfidfKind } from "../index/types.js";
import type { Kernel, PassageSums } from "../kernel/kernel.js";
import { LoadOnce } from "../load-once.js";
import { headingAbove, headingRange } from "../text/headings.js";
import { oneLine } from "../text/one-line.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { AllowedCache } from "./allowed.js";
import { ArrayPool } from "./array-pool.js";
import { EncodedPassages } from "./encoded-passages.js";
import type { TextCheckpoint } from "./locate/text-counts.js";
import { Lru } from "./lru.js";
import { type Numbering, numberingOf, rangeOf } from "./numbering.js";
import { type FindSharedVectors, PassageVectors } from "./passage-vectors.js";
import { PostingsCache } from "./score/postings.js";

const CACHED_RECORDS = 256;
/** Checkpoints of text positions, one per 16 Ki characters. */
const CACHED_CHECKPOINTS = 65_536;

export interface SearcherParts {
  snapshot: IndexSnapshot;
  kernel: Kernel;
  model: ModelInfo;
  tokenizer: Tokenizer;
  /** Encoder of the same model, for passages whose rows are not stored; without it they cannot be scored. */
  encoder?: Pick<Encoder, "encodePassages">;
  /** Vectors that other threads have loaded as well. Default: none. */
  findSharedVectors?: FindSharedVectors;
  /** A monotonic clock in milliseconds, for step times. Default `performance.now`. */
  now?: () => number;
  /** A searcher on another version of the index with the same kernel: memory is shared where both agree. */
  before?: Searcher;
}

/** With its own term weights and vector if it was encoded now and not read. */
export type ScorablePassage = StoredPassage & Partial<Pick<EncodedPassage, "units" | "vector">>;

/** Everything cached here is a copy of what the snapshot holds: searching never changes an answer. */
export class Searcher {
  readonly snapshot: IndexSnapshot;
  readonly kernel: Kernel;
  readonly model: ModelInfo;
  readonly tokenizer: Tokenizer;
  readonly now: () => number;
  /** Checkpoints of text positions by `segment:document`; src/search/locate/text-counts.ts fills it. */
  readonly checkpoints = new Lru<string, TextCheckpoint[]>(CACHED_CHECKPOINTS, (list) => list.length);
  readonly numbering: Numbering;
  readonly postings: PostingsCache;
  readonly allowed: AllowedCache;
  readonly scratch = new ArrayPool();
  #sums: PassageSums | undefined;
  #hasNorms = false;
  readonly vectors: PassageVectors;
  readonly #norms = new LoadOnce(() => this.#loadNorms());
  readonly #records = new Lru<string, DocumentRecord>(CACHED_RECORDS);
  /** One per segment. */
  readonly levels: readonly IndexLevel[];
  readonly #encoded: EncodedPassages;
  #lengths: { tokens: Uint16Array; mean: number } | undefined;

  /** @throws VerbatimError `model-mismatch` if the model's dimensions are not the index's */
  constructor(parts: SearcherParts) {
    this.snapshot = parts.snapshot;
    this.kernel = parts.kernel;
    this.model = parts.model;
    this.tokenizer = parts.tokenizer;
    this.now = parts.now ?? (() => performance.now());
    requireSameDimensions(this.snapshot, this.model);
    this.levels = this.snapshot.segments.map(({ level }) => level);
    const encodePassages = parts.encoder?.encodePassages.bind(parts.encoder);
    const source = { info: this.model, tokenizer: this.tokenizer, encodePassages };
    this.#encoded = new EncodedPassages(source, parts.before === undefined ? undefined : parts.before.#encoded);
    this.numbering = numberingOf(this.snapshot);
    const { snapshot, numbering } = this;
    this.vectors = new PassageVectors(this.kernel, this.model.vector, {
      snapshot,
      numbering,
      before: parts.before?.vectors,
      findShared: parts.findSharedVectors,
    });
    this.postings = new PostingsCache(this.snapshot, this.numbering);
    this.allowed = new AllowedCache(this.snapshot, this.numbering);
  }

  /** True for a token inside a word: spans begin and end at words. */
  readonly isContinuation = (id: number, before: number): boolean => this.tokenizer.isContinuation(id, before);

  segment(number: number): SegmentReader {
    return this.snapshot.segments[number]!;
  }

  /**
   * Passages with everything that spans are scored from: read if it is stored, else encoded now or cached.
   * @throws VerbatimError `corrupt-segment`, `aborted`; `invalid-argument` without an encoder
   */
  async readPassages(segment: number, passages: readonly number[], signal?: AbortSignal): Promise<ScorablePassage[]> {
    const reader = this.segment(segment);
    if (reader.level === "full") return reader.readPassages(passages, signal);
    const known = passages.map((passage) => this.#encoded.known({ segment: reader, passage }));
    const missing = passages.filter((_, n) => known[n] === undefined);
    const places = await Promise.all(missing.map((passage) => this.#placeOf(segment, passage, signal)));
    const encoded = await this.#encoded.encode(places, signal);
    const fresh = new Map(missing.map((passage, n) => [passage, encoded[n]!]));
    return passages.map((passage, n) => known[n] ?? fresh.get(passage)!);
  }

  /**
   * The text of a passage.
   * @param number  of the passage across all segments
   */
  passageText(number: number, signal?: AbortSignal): Promise<string> {
    const { firstPassages } = this.numbering;
    const segment = rangeOf(firstPassages, number);
    const reader = this.segment(segment);
    const { document, start, end } = reader.passage(number - firstPassages[segment]!);
    return reader.readText(document, start, end, signal);
  }

  /** A passage's tokens: read if they are stored, else tokenised from its text. */
  async readTokens(
    segment: number,
    passage: number,
    signal?: AbortSignal,
  ): Promise<Pick<PassageInput, "ids" | "firstToken">> {
    const reader = this.segment(segment);
    if (reader.level === "full") return (await reader.readPassages([passage], signal))[0]!;
    return this.#encoded.input(await this.#placeOf(segment, passage, signal), signal);
  }

  /** The title of a passage's document, and the nearest heading above it: "" if there is none, or it is the title. */
  async heading(
    { segment, passage }: { segment: number; passage: number },
    signal?: AbortSignal,
  ): Promise<{ title: string; heading: string }> {
    const reader = this.segment(segment);
    const { document, start } = reader.passage(passage);
    const { title, headings = [] } = await this.document(segment, document, signal);
    const above = headingAbove(headings, start);
    if (above === undefined) return { title, heading: "" };
    const range = headingRange(above);
    const heading = oneLine(await reader.readText(document, range.start, range.end, signal));
    return { title, heading: heading === title ? "" : heading };
  }

  async #placeOf(segment: number, passage: number, signal: AbortSignal | undefined) {
    const reader = this.segment(segment);
    const { title } = await this.document(segment, reader.passage(passage).document, signal);
    return { segment: reader, passage, title };
  }

  /** Input tokens of all passages, globally numbered, and their mean over live ones. */
  get passageLengths(): { tokens: Uint16Array; mean: number } {
    if (this.#lengths !== undefined) return this.#lengths;
    const tokens = new Uint16Array(this.numbering.firstPassages.at(-1)!);
    let sum = 0;
    for (const [s, segment] of this.snapshot.segments.entries()) {
      tokens.set(segment.passageTokens, this.numbering.firstPassages[s]!);
      for (const [p, count] of segment.passageTokens.entries())
        if (!segment.isDeleted(segment.passageDocuments[p]!)) sum += count;
    }
    this.#lengths = { tokens, mean: sum / Math.max(1, this.snapshot.passageCount) };
    return this.#lengths;
  }

  /** Loads all passage vectors, which the first question would otherwise wait for. */
  async warmUp(): Promise<void> {
    await this.vectors.warmUp();
  }

  /**
   * Kernel memory for one sum per passage, for callers that use it without awaiting.
   * @param norms  of n-gram sums, where there are any
   */
  passageSums(norms?: Record<TfidfKind, Float32Array>): PassageSums {
    const { passageDocuments, firstDocuments } = this.numbering;
    this.#sums ??= this.kernel.createPassageSums(passageDocuments, firstDocuments.at(-1)!);
    if (norms !== undefined && !this.#hasNorms) {
      this.#sums.setNorms(norms.passage, norms.document);
      this.#hasNorms = true;
    }
    return this.#sums;
  }

  /** Norms of all documents and passages, globally numbered: read by the first question, then kept. */
  tfidfNorms(): Promise<Record<TfidfKind, Float32Array>> {
    return this.#norms.get();
  }

  async #loadNorms(): Promise<Record<TfidfKind, Float32Array>> {
    const normsOf = async (kind: TfidfKind): Promise<Float32Array> =>
      concatenated(await Promise.all(this.snapshot.segments.map((segment) => segment.tfidfNorms(kind))));
    const [document, passage] = await Promise.all([normsOf("document"), normsOf("passage")]);
    return { document, passage };
  }

  /**
   * The record of a document, of which the most recent are cached. @throws VerbatimError `corrupt-segment`, `aborted`
   */
  async document(segment: number, document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    const key = `${segment}:${document}`;
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const record = await this.segment(segment).readDocument(document, signal);
    this.#records.set(key, record);
    return record;
  }

  /** Frees the kernel's memory. The snapshot stays the caller's. */
  close(): void {
    this.vectors.close();
    void this.#norms.take();
    this.postings.clear();
    this.allowed.clear();
    this.scratch.clear();
    this.#sums?.free();
    this.#sums = undefined;
    this.#hasNorms = false;
    this.#records.clear();
    this.checkpoints.clear();
  }
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @throws VerbatimError `model-mismatch` */
function requireSameDimensions(snapshot: IndexSnapshot, model: ModelInfo): void {
  if (snapshot.segments.length === 0) return;
  for (const dimension of ["dense", "coherency", "vector"] as const) {
    const found = model[dimension];
    const expected = snapshot[dimension];
    if (found === expected) continue;
    throw new VerbatimError(
      "model-mismatch",
      `The model's ${dimension} dimension is ${found}, the index has ${expected}.`,
      { found, expected, hint: "Ask with the model that the index was made with, or index again." },
    );
  }
}
