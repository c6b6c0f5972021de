/**
 * Presents a few passages of a large index, fetched for one question, as a segment, so that search
 * runs on them unchanged. `IndexSnapshot.frequencies` has the n-gram counts of the whole index.
 */

import type { Precision } from "../../encode/precision.js";
import { indexIn } from "../../vectors/ascending.js";
import type { Postings } from "../format/postings-codec.js";
import type {
  DocumentDescription,
  DocumentRecord,
  PassageRecord,
  SegmentReader,
  StoredPassage,
  TfidfKind,
  TfidfPostings,
} from "../types.js";
import { countOf, type WholePassage } from "./passage-blob.js";

/** Documents that are described together: their records arrive in one request. */
const DOCUMENT_BATCH = 256;

export type FetchedPassage = WholePassage & {
  precision: Precision;
  /** Identifies the document in the store that it comes from. */
  key: string;
};

/** n-grams of a document with several passages, not all of which were fetched. */
export interface FetchedGrams {
  /** Counts of the question's buckets, 1 … 255. */
  counts: ReadonlyMap<number, number>;
  norm: number;
}

/** Reads records and texts by a document's key. Reads that begin together may share a request. */
interface DocumentTexts {
  readDocument(key: string, signal?: AbortSignal): Promise<DocumentRecord>;
  readText(key: string, range: { from: number; to: number }, signal?: AbortSignal): Promise<string>;
}

interface FetchedParts {
  passages: readonly FetchedPassage[];
  /** For each document with several passages, by its key. */
  grams: ReadonlyMap<string, FetchedGrams>;
  texts: DocumentTexts;
}

export class FetchedSegment implements SegmentReader {
  readonly name: string;
  readonly level = "full";
  readonly files = this;
  readonly passageDocuments: Uint32Array;
  readonly passageTokens: Uint16Array;
  readonly deletedDocumentCount = 0;
  readonly deletedPassageCount = 0;
  /** In the order of the index, so that ties are broken as they are there. */
  readonly #passages: FetchedPassage[];
  /** Keys of the documents, in their order. */
  readonly #keys: string[];
  readonly #firstPassages: number[] = [];
  readonly #parts: FetchedParts;

  constructor(name: string, parts: FetchedParts) {
    this.name = name;
    this.#parts = parts;
    this.#passages = [...parts.passages].sort(inOrder);
    this.#keys = [...new Set(this.#passages.map(({ key }) => key))];
    const numbers = new Map(this.#keys.map((key, n) => [key, n]));
    this.passageDocuments = Uint32Array.from(this.#passages, ({ key }) => numbers.get(key)!);
    this.passageTokens = Uint16Array.from(this.#passages, ({ encoded }) => encoded.ids.length);
    for (const [p, document] of this.passageDocuments.entries()) this.#firstPassages[document] ??= p;
  }

  get documentCount(): number {
    return this.#keys.length;
  }

  get passageCount(): number {
    return this.#passages.length;
  }

  /** Number of a document, by its key. */
  numberOf(key: string): number {
    return this.#keys.indexOf(key);
  }

  isDeleted(): boolean {
    return false;
  }

  passage(passage: number): PassageRecord {
    const { start, end } = this.#passages[passage]!;
    return { document: this.passageDocuments[passage]!, start, end };
  }

  async readPassages(passages: readonly number[]): Promise<StoredPassage[]> {
    return passages.map((passage) => this.#passages[passage]!.encoded);
  }

  readDocument(document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    return this.#parts.texts.readDocument(this.#keys[document]!, signal);
  }

  async *describeDocuments(signal?: AbortSignal): AsyncGenerator<DocumentDescription> {
    const { texts } = this.#parts;
    for (let first = 0; first < this.#keys.length; first += DOCUMENT_BATCH) {
      const keys = this.#keys.slice(first, first + DOCUMENT_BATCH);
      yield* await Promise.all(keys.map((key) => texts.readDocument(key, signal)));
    }
  }

  readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string> {
    return this.#parts.texts.readText(this.#keys[document]!, { from, to }, signal);
  }

  async termPostings(terms: readonly number[]): Promise<Array<Postings | undefined>> {
    return terms.map((term) => this.#termPostings(term));
  }

  #termPostings(term: number): Postings | undefined {
    const found = new PostingsList();
    for (const [p, { encoded }] of this.#passages.entries()) {
      const own = encoded.units[0];
      const at = own === undefined ? -1 : indexIn(own.terms, term);
      found.add(p, at < 0 ? 0 : own!.weights[at]!);
    }
    return found.postings();
  }

  async tfidfPostings(buckets: readonly number[]): Promise<Array<TfidfPostings | undefined>> {
    return buckets.map((bucket) => this.#tfidfPostings(bucket));
  }

  #tfidfPostings(bucket: number): TfidfPostings | undefined {
    const passages = new PostingsList();
    for (const [p, { grams }] of this.#passages.entries()) passages.add(p, countOf(grams, bucket));
    const documents = new PostingsList();
    for (const document of this.#keys.keys()) documents.add(document, this.#documentCount(document, bucket));
    const document = documents.postings();
    return document && { document, passage: passages.postings() ?? NO_POSTINGS };
  }

  async tfidfNorms(kind: TfidfKind): Promise<Float32Array> {
    if (kind === "passage") return Float32Array.from(this.#passages, ({ grams }) => grams.norm);
    return Float32Array.from(
      this.#keys,
      (key, document) => this.#only(document)?.grams.norm ?? this.#gramsOf(key).norm,
    );
  }

  async readVectors(onRows: (firstPassage: number, rows: Int8Array) => void): Promise<void> {
    for (const [p, { encoded }] of this.#passages.entries()) onRows(p, encoded.vector);
  }

  #documentCount(document: number, bucket: number): number {
    const only = this.#only(document);
    if (only !== undefined) return countOf(only.grams, bucket);
    return this.#gramsOf(this.#keys[document]!).counts.get(bucket) ?? 0;
  }

  /** The passage of a document that has only one. */
  #only(document: number): FetchedPassage | undefined {
    const first = this.#passages[this.#firstPassages[document]!]!;
    return first.alone ? first : undefined;
  }

  #gramsOf(key: string): FetchedGrams {
    const grams = this.#parts.grams.get(key);
    if (grams === undefined) throw new RangeError(`the n-grams of document ${key} were not fetched`);
    return grams;
  }
}

/** Index order. Two writers may have given documents the same order: then by key. */
function inOrder(a: FetchedPassage, b: FetchedPassage): number {
  return a.order - b.order || (a.key < b.key ? -1 : a.key > b.key ? 1 : a.number - b.number);
}

/** A document may have the n-gram in passages that were not fetched. */
const NO_POSTINGS: Postings = { units: new Uint32Array(0), values: new Uint8Array(0) };

class PostingsList {
  readonly #units: number[] = [];
  readonly #values: number[] = [];

  add(unit: number, value: number): void {
    if (value === 0) return;
    this.#units.push(unit);
    this.#values.push(value);
  }

  postings(): Postings | undefined {
    if (this.#units.length === 0) return undefined;
    return { units: Uint32Array.from(this.#units), values: Uint8Array.from(this.#values) };
  }
}
