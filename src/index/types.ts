/** What the index offers to search: one snapshot of immutable segments. Types only. */

import type { EncodedPassage } from "../encode/types.js";
import type { Document, MetadataValue, SourceMap } from "../types.js";
import type { Centroids } from "../vectors/centroids.js";
import type { RowBits } from "../vectors/nibbles.js";
import type { IndexLevel } from "./format/level.js";
import type { Postings } from "./format/postings-codec.js";

/** A document as stored, without its text. */
export interface DocumentRecord {
  id: string;
  title: string;
  source: string;
  /** SHA-256 (hex, first 32 digits) of what decides its encoding: title, text, metadata. */
  contentHash: string;
  /** UTF-16 length of the text. */
  length: number;
  passageCount: number;
  map: SourceMap;
  metadata: Record<string, MetadataValue>;
}

/** Where a passage lies: `[start, end)` UTF-16 in its document's text. */
export interface PassageRecord {
  /** Document number within the segment. */
  document: number;
  start: number;
  end: number;
}

/** An encoded passage as read back: everything but its term weights, which live in postings. */
export type StoredPassage = Omit<EncodedPassage, "units">;

export type TfidfKind = "document" | "passage";

/** Postings of one n-gram bucket, of both kinds of units. */
export type TfidfPostings = Record<TfidfKind, Postings>;

/** One immutable segment. Numbers of documents, passages and rows are local and start at 0. */
export interface SegmentReader {
  readonly name: string;
  /** One object for all readers of the same rows, postings and texts: what is kept of one serves the others. */
  readonly files: object;
  /** Below `full` there are no rows to read, at `lexical` no term postings either. */
  readonly level: IndexLevel;
  readonly documentCount: number;
  readonly passageCount: number;
  /** Kept start rows of all passages, in passage order. */
  readonly startRowCount: number;
  readonly endRowCount: number;
  /** Input tokens of all passages. */
  readonly tokenCount: number;
  /** Document number of every passage: [passageCount]. */
  readonly passageDocuments: Uint32Array;
  /** Input tokens of every passage, specials and title included: [passageCount]. */
  readonly passageTokens: Uint16Array;
  /** First start row of every passage, and the total at the end: [passageCount + 1]. */
  readonly firstStartRows: Uint32Array;
  /** Bit d set: document d is deleted in this snapshot (its passages must be skipped and not counted). */
  isDeleted(document: number): boolean;
  readonly deletedDocumentCount: number;
  readonly deletedPassageCount: number;
  passage(passage: number): PassageRecord;
  /** Of level `full` only. @throws VerbatimError `invalid-argument` below */
  readPassages(passages: readonly number[], signal?: AbortSignal): Promise<StoredPassage[]>;
  readDocument(document: number, signal?: AbortSignal): Promise<DocumentRecord>;
  /** text.slice(from, to) of the document's extracted text. */
  readText(document: number, from: number, to: number, signal?: AbortSignal): Promise<string>;
  /** undefined when no unit has the term, and at level `lexical`. */
  termPostings(term: number, signal?: AbortSignal): Promise<Postings | undefined>;
  /** Counts of an n-gram, of passages and of documents; undefined when no passage has it. */
  tfidfPostings(bucket: number, signal?: AbortSignal): Promise<TfidfPostings | undefined>;
  /** Static norm of every unit, > 0: sqrt(Σ log(1 + count)²) over its n-grams (no idf, so it never changes with the collection). */
  tfidfNorms(kind: TfidfKind, signal?: AbortSignal): Promise<Float32Array>;
  /** Bits of a number of the coarse rows (src/vectors/nibbles.ts). */
  readonly coarseBits: RowBits;
  /** First `coarse` dimensions of all start rows, in their order, in pieces of whole rows of `coarseBits`. */
  readCoarse(onRows: (firstRow: number, rows: Uint8Array) => void, signal?: AbortSignal): Promise<void>;
  /** The same list by list; undefined where they lie one after another. */
  coarseLists(signal?: AbortSignal): Promise<CoarseLists | undefined>;
}

/** Told of each list that has rows: their numbers, ascending, and the rows as they are stored. Both hold until it returns. */
export type OnList = (list: number, numbers: Uint32Array, rows: Uint8Array) => void;

/** Coarse rows that lie in lists by their nearest centroid (src/vectors/centroids.ts). */
export interface CoarseLists {
  readonly centroids: Centroids;
  /** Rows before each list, and the total: [LISTS + 1]. */
  readonly firsts: Uint32Array;
  /** @throws VerbatimError `corrupt-segment`, `aborted` */
  read(lists: Uint16Array, onList: OnList, signal?: AbortSignal): Promise<void>;
}

/** One version of an index: what an open reader sees until it is closed. */
export interface IndexSnapshot {
  /** Number of the committed manifest. */
  readonly version: number;
  readonly formatVersion: number;
  readonly passageModelHash: string;
  readonly dense: number;
  readonly coarse: number;
  readonly coherency: number;
  readonly segments: readonly SegmentReader[];
  /** Live (not deleted) counts. */
  readonly documentCount: number;
  readonly passageCount: number;
  readonly bytes: number;
  /** Live units that have an n-gram, where the segments are only a part of the index; without it they are counted. */
  frequencies?(kind: TfidfKind, bucket: number): number;
  close(): Promise<void>;
}

/** A document with its encoded passages, all at once: for tests and small inputs. */
export interface PreparedDocument {
  document: Document;
  passages: PreparedPassage[];
}

export interface PreparedPassage {
  start: number;
  end: number;
  encoded: EncodedPassage;
}
