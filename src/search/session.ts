/** One open snapshot with what searching it keeps in memory: start vectors' first dimensions, norms, a few postings and records. */

import type { ModelInfo } from "../encode/types.js";
import { throwIfAborted, VerbatimError } from "../errors.js";
import type { DocumentRecord, IndexSnapshot, Postings, SegmentReader, TfidfKind } from "../index/types.js";
import type { Kernel, Matrix } from "../math/kernel.js";
import type { WordPieceTokenizer } from "../text/wordpiece.js";
import { Lru } from "./lru.js";
import type { TextCheckpoint } from "./positions.js";

/** Entries of cached postings, 5 bytes each. */
const CACHED_POSTINGS = 2_000_000;
const CACHED_RECORDS = 256;
/** Checkpoints of text positions, one for 16 Ki characters. */
const CACHED_CHECKPOINTS = 65_536;

const NO_POSTINGS: Postings = { units: new Uint32Array(0), values: new Uint8Array(0) };

export interface SearchSessionParts {
  snapshot: IndexSnapshot;
  kernel: Kernel;
  model: ModelInfo;
  tokenizer: WordPieceTokenizer;
  /** Milliseconds that only go forward, for step times. Default `performance.now`. */
  now?: () => number;
}

/** Searching never changes what an answer is: everything kept here is a copy of what the snapshot holds. */
export class SearchSession {
  readonly snapshot: IndexSnapshot;
  readonly kernel: Kernel;
  readonly model: ModelInfo;
  readonly tokenizer: WordPieceTokenizer;
  readonly now: () => number;
  /** Checkpoints of text positions by `segment:document`; src/search/positions.ts fills it. */
  readonly checkpoints = new Lru<string, TextCheckpoint[]>(CACHED_CHECKPOINTS, (list) => list.length);
  readonly #continuations: Uint8Array;
  readonly #coarse = new Map<number, Promise<Matrix>>();
  readonly #norms = new Map<string, Promise<Float32Array>>();
  readonly #postings = new Lru<string, Postings>(CACHED_POSTINGS, (list) => list.units.length + 8);
  readonly #records = new Lru<string, DocumentRecord>(CACHED_RECORDS);
  #closed = false;

  /** @throws VerbatimError `model-mismatch` if the model's dimensions are not the index's */
  constructor(parts: SearchSessionParts) {
    this.snapshot = parts.snapshot;
    this.kernel = parts.kernel;
    this.model = parts.model;
    this.tokenizer = parts.tokenizer;
    this.now = parts.now ?? (() => performance.now());
    if (this.snapshot.segments.length > 0) {
      for (const dimension of ["dense", "coarse", "coherency"] as const) {
        const found = this.model[dimension];
        const expected = this.snapshot[dimension];
        if (found === expected) continue;
        throw new VerbatimError(
          "model-mismatch",
          `The model's ${dimension} dimension is ${found}, the index has ${expected}.`,
          {
            found,
            expected,
            hint: "Ask with the model that the index was made with, or index again.",
          },
        );
      }
    }
    const { tokenizer } = this;
    this.#continuations = new Uint8Array(tokenizer.vocabularySize);
    for (let id = 0; id < tokenizer.vocabularySize; id++) {
      this.#continuations[id] = tokenizer.tokenOf(id).startsWith("##") ? 1 : 0;
    }
  }

  /** True for a piece inside a word ("##ing"): a span begins and ends at words. */
  readonly isContinuation = (id: number): boolean => this.#continuations[id] === 1;

  segment(number: number): SegmentReader {
    return this.snapshot.segments[number]!;
  }

  /**
   * First `coarse` dimensions of all start rows of a segment, in the kernel's memory: read at the first dense question, then kept.
   * Loading is shared between questions, so a signal ends the waiting, not the loading.
   */
  async coarseMatrix(segment: number, signal?: AbortSignal): Promise<Matrix> {
    let loading = this.#coarse.get(segment);
    if (loading === undefined) {
      loading = this.#loadCoarse(this.segment(segment));
      this.#coarse.set(segment, loading);
      loading.catch(() => this.#coarse.delete(segment));
    }
    const matrix = await loading;
    throwIfAborted(signal);
    return matrix;
  }

  async #loadCoarse(reader: SegmentReader): Promise<Matrix> {
    const matrix = this.kernel.createMatrix(reader.startRowCount, this.model.coarse);
    try {
      await reader.readCoarse((firstRow, rows) => {
        if (!this.#closed) matrix.set(firstRow, rows);
      });
      if (this.#closed) throw new VerbatimError("aborted", "The index was closed while it was asked.");
    } catch (error) {
      matrix.free();
      throw error;
    }
    return matrix;
  }

  async termPostings(segment: number, term: number, signal?: AbortSignal): Promise<Postings> {
    const key = `t${segment}:${term}`;
    return this.#postings.get(key) ?? this.#keep(key, await this.segment(segment).termPostings(term, signal));
  }

  async tfidfPostings(
    segment: number,
    gram: { kind: TfidfKind; bucket: number },
    signal?: AbortSignal,
  ): Promise<Postings> {
    const key = `${gram.kind}${segment}:${gram.bucket}`;
    const found = this.#postings.get(key);
    return found ?? this.#keep(key, await this.segment(segment).tfidfPostings(gram.kind, gram.bucket, signal));
  }

  #keep(key: string, postings: Postings = NO_POSTINGS): Postings {
    this.#postings.set(key, postings);
    return postings;
  }

  async tfidfNorms(segment: number, kind: TfidfKind, signal?: AbortSignal): Promise<Float32Array> {
    const key = `${kind}${segment}`;
    let loading = this.#norms.get(key);
    if (loading === undefined) {
      loading = this.segment(segment).tfidfNorms(kind);
      this.#norms.set(key, loading);
      loading.catch(() => this.#norms.delete(key));
    }
    const norms = await loading;
    throwIfAborted(signal);
    return norms;
  }

  async document(segment: number, document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    const key = `${segment}:${document}`;
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const record = await this.segment(segment).readDocument(document, signal);
    this.#records.set(key, record);
    return record;
  }

  /** Gives the kernel's memory back. The snapshot stays the caller's. */
  close(): void {
    this.#closed = true;
    for (const loading of this.#coarse.values()) {
      loading.then(
        (matrix) => matrix.free(),
        () => {},
      );
    }
    this.#coarse.clear();
    this.#norms.clear();
    this.#postings.clear();
    this.#records.clear();
    this.checkpoints.clear();
  }
}
