/** What the index offers to search: one snapshot of immutable segments. Types only. */

import type { EncodedPassage } from "../encode/types.js";
import type { Document, Heading, MetadataValue, SourceMap } from "../types.js";
import type { IndexLevel } from "./format/level.js";
import type { Postings } from "./format/postings-codec.js";

/** A document as stored, without its text. */
export interface DocumentRecord {
  id: string;
  title: string;
  source: string;
  /** First 32 hex digits of the SHA-256 of what decides its encoding: title, text, metadata. */
  contentHash: string;
  /** UTF-16 length of the text. */
  length: number;
  passageCount: number;
  map: SourceMap;
  /** In the order of the text; absent if there are none. */
  headings?: readonly Heading[];
  metadata: Record<string, MetadataValue>;
}

/** What names and describes a document. */
export type DocumentDescription = Pick<DocumentRecord, "id" | "title" | "source" | "metadata">;

/** Place of a passage: `[start, end)` in UTF-16 units of its document's text. */
export interface PassageRecord {
  /** Document number within the segment. */
  document: number;
  start: number;
  end: number;
}

/** An encoded passage as read back: without its term weights, which are in postings, and its vector. */
export type StoredPassage = Omit<EncodedPassage, "units" | "vector">;

export type TfidfKind = "document" | "passage";

/** Postings of one n-gram bucket, of documents and of passages. */
export type TfidfPostings = Record<TfidfKind, Postings>;

/** One immutable segment. Numbers of documents, passages and rows are local and start at 0. */
export interface SegmentReader {
  readonly name: string;
  /**
   * The same object for all readers of the same rows, postings and texts, as a key for caches that
   * they share.
   */
  readonly files: object;
  /** Below `full` there are no rows, at `lexical` no term postings and passage vectors either. */
  readonly level: IndexLevel;
  readonly documentCount: number;
  readonly passageCount: number;
  /** Document number of each passage: [passageCount]. */
  readonly passageDocuments: Uint32Array;
  /** Input tokens of each passage, special tokens and title included: [passageCount]. */
  readonly passageTokens: Uint16Array;
  /**
   * True if the document is deleted in this snapshot; its passages must be skipped and not counted.
   */
  isDeleted(document: number): boolean;
  readonly deletedDocumentCount: number;
  readonly deletedPassageCount: number;
  passage(passage: number): PassageRecord;
  /** Requires level `full`. @throws VerbatimError `invalid-argument` below it */
  readPassages(passages: readonly number[], signal?: AbortSignal): Promise<StoredPassage[]>;
  readDocument(document: number, signal?: AbortSignal): Promise<DocumentRecord>;
  /** All documents in their order, deleted ones included: cheaper than reading their records one by one. */
  describeDocuments(signal?: AbortSignal): AsyncIterable<DocumentDescription>;
  /** text.slice(from, to) of the document's extracted text. */
  readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string>;
  /**
   * Impacts of each term in passages, in the order asked; undefined for one that no passage has, and at level
   * `lexical`.
   */
  termPostings(terms: readonly number[], signal?: AbortSignal): Promise<Array<Postings | undefined>>;
  /** Counts of each n-gram in passages and in documents; undefined for one that no passage has. */
  tfidfPostings(buckets: readonly number[], signal?: AbortSignal): Promise<Array<TfidfPostings | undefined>>;
  /**
   * Static norm of each unit, > 0: sqrt(Σ log(1 + count)²) over its n-grams. It has no idf, so it
   * never changes with the collection.
   */
  tfidfNorms(kind: TfidfKind): Promise<Float32Array>;
  /**
   * Vectors of all passages in passage order, in pieces of whole ones; none at level `lexical`.
   * @param onRows  the rows are valid until it returns
   */
  readVectors(onRows: (firstPassage: number, rows: Int8Array) => void): Promise<void>;
}

/** One version of an index, as an open reader sees it until it is closed. */
export interface IndexSnapshot {
  /** Number of the committed manifest. */
  readonly version: number;
  readonly formatVersion: number;
  readonly passageModelHash: string;
  readonly dense: number;
  readonly coherency: number;
  readonly vector: number;
  readonly segments: readonly SegmentReader[];
  /** Live (not deleted) counts. */
  readonly documentCount: number;
  readonly passageCount: number;
  readonly bytes: number;
  /**
   * Live units that have an n-gram, if the segments are only part of the index; default: counted.
   */
  frequencies?(kind: TfidfKind, bucket: number): number;
  close(): Promise<void>;
}

/** A document with all its encoded passages, for tests and small inputs. */
export interface PreparedDocument {
  document: Document;
  passages: PreparedPassage[];
}

export interface PreparedPassage {
  start: number;
  end: number;
  encoded: EncodedPassage;
}
