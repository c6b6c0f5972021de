/** An index in memory, made straight from encoded passages: what the segment files should say, without the files. */

import { passageInput, passageRoom, titleTokens } from "../../src/encode/input.js";
import type { Encoder, ModelInfo } from "../../src/encode/types.js";
import { throwIfAborted } from "../../src/errors.js";
import type { Postings } from "../../src/index/format/postings-codec.js";
import type {
  DocumentDescription,
  DocumentRecord,
  IndexSnapshot,
  PassageRecord,
  PreparedDocument,
  SegmentReader,
  StoredPassage,
  TfidfKind,
  TfidfPostings,
} from "../../src/index/types.js";
import { splitPassages } from "../../src/text/passages.js";
import { ngramCounts } from "../../src/text/words.js";
import type { Document } from "../../src/types.js";

export interface MemorySegmentOptions {
  /** Ids of deleted documents. */
  deleted?: ReadonlySet<string>;
}

type PostingLists = Map<number, Array<[unit: number, value: number]>>;

export class MemorySegment implements SegmentReader {
  readonly files = this;
  readonly name = "memory";
  readonly level = "full";
  readonly documentCount: number;
  readonly passageCount: number;
  readonly passageDocuments: Uint32Array;
  readonly passageTokens: Uint16Array;
  readonly deletedDocumentCount: number;
  readonly deletedPassageCount: number;
  /** Calls that a real segment would read a file for. */
  reads = 0;
  readonly #documents: PreparedDocument[];
  readonly #passages: Array<PreparedDocument["passages"][number]>;
  readonly #deleted: ReadonlySet<string>;
  readonly #terms: PostingLists = new Map();
  readonly #tfidf: Record<TfidfKind, PostingLists> = { document: new Map(), passage: new Map() };
  readonly #norms: Record<TfidfKind, number[]> = { document: [], passage: [] };

  constructor(documents: PreparedDocument[], options: MemorySegmentOptions) {
    this.#documents = documents;
    this.#passages = documents.flatMap((document) => document.passages);
    this.#deleted = options.deleted ?? new Set();
    this.documentCount = documents.length;
    this.passageCount = this.#passages.length;
    this.passageDocuments = Uint32Array.from(documents.flatMap(({ passages }, d) => passages.map(() => d)));
    this.passageTokens = Uint16Array.from(this.#passages, ({ encoded }) => encoded.ids.length);
    for (const [p, { encoded }] of this.#passages.entries()) {
      const { terms, weights } = encoded.units[0]!;
      for (const [n, term] of terms.entries()) post(this.#terms, term, [p, weights[n]!]);
    }
    for (const [p, { start, end }] of this.#passages.entries()) {
      this.#addTfidf("passage", p, ngramCounts(this.#textOf(p).slice(start, end)));
    }
    for (const [d, { document, passages }] of documents.entries()) {
      const counts = new Map<number, number>();
      for (const { start, end } of passages) {
        for (const [bucket, count] of ngramCounts(document.text.slice(start, end)))
          counts.set(bucket, (counts.get(bucket) ?? 0) + Math.min(255, count));
      }
      this.#addTfidf("document", d, counts);
    }
    const isGone = (d: number): boolean => this.isDeleted(d);
    this.deletedDocumentCount = documents.filter((_, d) => isGone(d)).length;
    this.deletedPassageCount = [...this.passageDocuments].filter(isGone).length;
  }

  #textOf(passage: number): string {
    return this.#documents[this.passageDocuments[passage]!]!.document.text;
  }

  #addTfidf(kind: TfidfKind, unit: number, counts: Map<number, number>): void {
    let squares = 0;
    for (const [bucket, count] of counts) {
      const capped = Math.min(255, count);
      post(this.#tfidf[kind], bucket, [unit, capped]);
      squares += Math.log(1 + capped) ** 2;
    }
    this.#norms[kind].push(Math.fround(squares > 0 ? Math.sqrt(squares) : 1));
  }

  isDeleted(document: number): boolean {
    return this.#deleted.has(this.#documents[document]!.document.id);
  }

  passage(passage: number): PassageRecord {
    const { start, end } = this.#passages[passage]!;
    return { document: this.passageDocuments[passage]!, start, end };
  }

  async readPassages(passages: readonly number[], signal?: AbortSignal): Promise<StoredPassage[]> {
    this.#read(signal);
    return passages.map((passage) => {
      const { units: _, ...stored } = this.#passages[passage]!.encoded;
      return stored;
    });
  }

  async readDocument(document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    this.#read(signal);
    const { document: whole, passages } = this.#documents[document]!;
    const { id, title, source, text, map, metadata = {} } = whole;
    const contentHash = "0".repeat(32);
    return { id, title, source, contentHash, length: text.length, passageCount: passages.length, map, metadata };
  }

  async *describeDocuments(signal?: AbortSignal): AsyncGenerator<DocumentDescription> {
    for (const document of this.#documents.keys()) yield await this.readDocument(document, signal);
  }

  async readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    this.#read(signal);
    const { text } = this.#documents[document]!.document;
    if (from < 0 || to < from || to > text.length) throw new RangeError(`text ${from} to ${to} of ${text.length}`);
    return text.slice(from, to);
  }

  async termPostings(terms: readonly number[], signal?: AbortSignal): Promise<Array<Postings | undefined>> {
    this.#read(signal);
    return terms.map((term) => toPostings(this.#terms.get(term)));
  }

  async tfidfPostings(buckets: readonly number[], signal?: AbortSignal): Promise<Array<TfidfPostings | undefined>> {
    this.#read(signal);
    return buckets.map((bucket) => {
      const document = toPostings(this.#tfidf.document.get(bucket));
      const passage = toPostings(this.#tfidf.passage.get(bucket));
      return document && passage && { document, passage };
    });
  }

  async tfidfNorms(kind: TfidfKind): Promise<Float32Array> {
    this.#read(undefined);
    return Float32Array.from(this.#norms[kind]);
  }

  async readVectors(onRows: (firstPassage: number, rows: Int8Array) => void): Promise<void> {
    this.#read(undefined);
    await Promise.resolve();
    for (const [p, { encoded }] of this.#passages.entries()) onRows(p, encoded.vector);
  }

  #read(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    this.reads++;
  }
}

function post(lists: PostingLists, key: number, entry: [number, number]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}

function toPostings(list: Array<[unit: number, value: number]> | undefined): Postings | undefined {
  if (list === undefined) return undefined;
  return { units: Uint32Array.from(list, ([unit]) => unit), values: Uint8Array.from(list, ([, value]) => value) };
}

export interface MemoryIndexOptions {
  /** Segments that the documents are dealt to in turn; default 1. */
  segments?: number;
  deleted?: readonly string[];
  keepAll?: boolean;
}

/** Splits, encodes and indexes documents as src/ingest/ingest.ts does. */
export async function memoryIndex(
  encoder: Encoder,
  documents: readonly Document[],
  options: MemoryIndexOptions = {},
): Promise<IndexSnapshot & { segments: MemorySegment[] }> {
  const { segments = 1, deleted = [], keepAll = false } = options;
  const dealt: PreparedDocument[][] = Array.from({ length: segments }, () => []);
  for (const [n, document] of documents.entries()) {
    dealt[n % segments]!.push(await prepareDocument(encoder, document, { keepAll }));
  }
  const gone = new Set(deleted);
  return memorySnapshot(
    dealt.map((part) => new MemorySegment(part, { deleted: gone })),
    encoder.info,
  );
}

export async function prepareDocument(
  encoder: Encoder,
  document: Document,
  options: { keepAll?: boolean } = {},
): Promise<PreparedDocument> {
  const { tokenizer, info } = encoder;
  const title = titleTokens(tokenizer, document.title, info);
  const maxTokens = passageRoom(info, title.length);
  const split = [...splitPassages(document.text, { tokenizer, maxTokens })].filter(({ tokens }) => tokens.count > 0);
  const inputs = split.map((passage) => passageInput(tokenizer, title, { passage }));
  const encoded = await encoder.encodePassages(inputs, { keepAll: options.keepAll ?? false });
  return { document, passages: split.map(({ start, end }, n) => ({ start, end, encoded: encoded[n]! })) };
}

export function memorySnapshot(
  segments: MemorySegment[],
  model: ModelInfo,
): IndexSnapshot & { segments: MemorySegment[] } {
  const sum = (count: (segment: MemorySegment) => number): number =>
    segments.reduce((n, segment) => n + count(segment), 0);
  return {
    version: 1,
    formatVersion: 1,
    passageModelHash: model.passageModelHash,
    dense: model.dense,
    coherency: model.coherency,
    vector: model.vector,
    segments,
    documentCount: sum((segment) => segment.documentCount - segment.deletedDocumentCount),
    passageCount: sum((segment) => segment.passageCount - segment.deletedPassageCount),
    bytes: 0,
    close: async () => {},
  };
}
