/** What search takes and returns. Types only. */

import type { DocumentRecord } from "../index/types.js";
import type { MetadataValue, Place } from "../types.js";

export type Strategy = "hybrid" | "sparse-first" | "dense-first" | "exhaustive";

/** What a filter may look at. */
export type FilterableDocument = Pick<DocumentRecord, "id" | "title" | "source" | "metadata">;

/** True for a document that may answer. A pure function of the document: it is called once for each and remembered. */
export type DocumentFilter = (document: FilterableDocument) => boolean;

export interface SearchOptions {
  strategy: Strategy;
  /** Answers wanted, ≥ 1. */
  topK: number;
  /** Longest answer in WordPiece tokens, 1…64. */
  maxAnswerTokens: number;
  /** Passages whose spans are scored from the sparse side (terms and tf-idf), ≥ 1. */
  sparseCandidates: number;
  /** Passages whose spans are scored from the dense side, ≥ 1. */
  denseCandidates: number;
  /** Start rows that the dense stage takes before they are reduced to passages, ≥ denseCandidates. */
  denseRows: number;
  /**
   * Share of a large index's start rows that the dense stage looks at, more than 0 … 1: those of the lists whose centroids point the
   * question's way. 1: all of them, always.
   */
  probe: number;
  /**
   * `hybrid` only, ≥ 0: the dense stage is left out where a passage that sparse-first passed over could come first only with dense and n-gram
   * parts this many times as large as the largest found (src/search/strategies/hybrid.ts). Infinity: never left out.
   */
  denseBelow: number;
  /**
   * Passages encoded at most for a question, ≥ 1: of level `thin`, and as many of level `lexical` in an index that is being raised. Where nothing left could come
   * first (`denseBelow`), fewer are.
   */
  encodePassages: number;
  explain: boolean;
  /** Entries of `SearchResult.passages` at most, ≥ 0, default 100; each costs the reading of its document's record. */
  rankedPassages?: number;
  /**
   * Answers come from documents that it takes, and from no others: applied before anything is ranked, so `topK`, the candidates and
   * `denseRows` are all of allowed documents. Document frequencies stay those of the whole index: a score is the same with any filter.
   * The first question with a filter reads every document's record; the function (or `filterKey`) then stands for what it took.
   */
  filter?: DocumentFilter;
  /** Equal keys mean equal filters: for filters that are made anew for each question. Only with `filter`. */
  filterKey?: string;
  signal?: AbortSignal;
}

/** The four parts of a score; they sum to it. λ is already applied. */
export interface ScoreParts {
  dense: number;
  ngram: number;
  terms: number;
  tfidf: number;
  /** Only of sentences that were found by words alone: BM25 of the passage, and how much of the question the sentence says. */
  bm25?: number;
  sentence?: number;
  /** Only where the reader has read: its part; the others are then weighted by what it leaves them. */
  reader?: number;
}

/** An n-gram that raised an answer's score: question weight × passage weight. */
export interface NgramMatch {
  text: string;
  weight: number;
  side: "start" | "end";
}

/** A scored span of a passage before its text is known. Positions are input positions, end inclusive. */
export interface SpanCandidate {
  segment: number;
  passage: number;
  startPosition: number;
  endPosition: number;
  score: number;
  parts: ScoreParts;
}

export interface AnswerPlaceFields {
  documentId: string;
  title: string;
  source: string;
  /** UTF-16 units of the extracted text; text.slice(start, end) is the answer. */
  start: number;
  end: number;
  startByte: number;
  endByte: number;
  startCodePoint: number;
  endCodePoint: number;
  place: Place;
  score: number;
}

export interface Answer extends AnswerPlaceFields {
  /** The exact words of the document. */
  text: string;
  /** The sentence around the answer, and where it lies. */
  context: string;
  contextStart: number;
  contextEnd: number;
  passageStart: number;
  passageEnd: number;
  /** Other places of the same answer, best first. */
  evidence: AnswerPlaceFields[];
  metadata: Record<string, MetadataValue>;
  /** Probability that it is right, 0 to 1; undefined where the model was not calibrated. */
  confidence?: number;
  parts?: ScoreParts;
  ngrams?: NgramMatch[];
}

/** Wall-clock milliseconds of each step of one question. */
export interface StepTimes {
  encode: number;
  terms: number;
  dense: number;
  read: number;
  score: number;
  text: number;
}

export interface SearchResult {
  question: string;
  strategy: Strategy;
  answers: Answer[];
  /** Passages that were scored, best first, for retrieval figures. */
  passages: RankedPassage[];
  steps: StepTimes;
  tookMs: number;
}

export interface RankedPassage {
  documentId: string;
  start: number;
  end: number;
  score: number;
}
