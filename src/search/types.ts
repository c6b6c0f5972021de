/** The results of a search. Types only. */

import type { DocumentRecord } from "../index/types.js";
import type { MetadataValue, Place } from "../types.js";
import type { Shown } from "./locate/shown.js";

/** The fields of a document that a filter sees. */
export type FilterableDocument = Pick<DocumentRecord, "id" | "title" | "source" | "metadata">;

/** True for a document that may answer. It must be a pure function: its result is remembered per document. */
export type DocumentFilter = (document: FilterableDocument) => boolean;

/** The parts of a score, λ already applied; they sum to it. */
export interface ScoreParts {
  /** Start, end and coherency inner products of the span and the question (DenSPI). */
  dense: number;
  /** Contextual n-grams (SPARC). */
  ngram: number;
  /** Term postings of the passage (SPARTA). */
  terms: number;
  /** tf-idf of the document and the passage (DrQA). */
  tfidf: number;
  /** λ_v · cosine of the vectors of the whole question and the whole passage; equal for all spans of a passage. */
  vector: number;
  /** BM25 of the passage; only for sentences found by words alone. */
  bm25?: number;
  /** How much of the question the sentence contains; only for sentences found by words alone. */
  sentence?: number;
  /** The reader's part; only after reading, and then the other parts are scaled by what it leaves them. */
  reader?: number;
}

/** An n-gram that raised an answer's score: question weight × passage weight. */
export interface NgramMatch {
  text: string;
  weight: number;
  side: "start" | "end";
}

/** Where an answer is, in every unit that a caller may need. */
export interface AnswerPlaceFields {
  documentId: string;
  title: string;
  source: string;
  /** UTF-16 units of the extracted text: `text.slice(start, end)` is the answer. */
  start: number;
  end: number;
  /** UTF-8 bytes of the extracted text. */
  startByte: number;
  endByte: number;
  /** Unicode code points of the extracted text. */
  startCodePoint: number;
  endCodePoint: number;
  /** Line, page or path in the source file. */
  place: Place;
  /** Comparable between the answers to one question; not a probability. */
  score: number;
}

/** A range of a document with its exact text. Offsets are UTF-16 units of the document's text. */
export interface Quoted {
  text: string;
  start: number;
  end: number;
}

export interface Answer extends AnswerPlaceFields {
  /** An exact quote of the document. */
  text: string;
  /** What is shown around the answer: its sentence, list or row, with its offsets in UTF-16 units. */
  context: string;
  contextStart: number;
  contextEnd: number;
  /** What `context` is, and whether the span alone answers the question or all of it. */
  shown: Shown;
  /** With `row`: the first row of the table. Else the sentence that announces the list that the answer is in. */
  header?: Quoted;
  /** The passage that was scored, in UTF-16 units of the document's text. */
  passageStart: number;
  passageEnd: number;
  /** Other places of the same answer, best first, at most ten. */
  evidence: AnswerPlaceFields[];
  metadata: Record<string, MetadataValue>;
  /** Probability that the answer is right, 0 to 1; undefined if the model is not calibrated. */
  confidence?: number;
  /** The confidence is far below the first answer's: such answers are shown on request. */
  lessLikely: boolean;
  /** Less likely answers in the same context, best first, at most four. */
  alternatives: Quoted[];
  /** With `explain`. */
  parts?: ScoreParts;
  /** With `explain`: the n-grams that raised the score, largest first. */
  ngrams?: NgramMatch[];
}

/** Wall-clock milliseconds of each step of a question. */
export interface StepTimes {
  /** Encoding the question. */
  encode: number;
  /** Postings, and choosing candidates by them. */
  terms: number;
  /** Choosing candidates by vectors. */
  dense: number;
  /** Reading candidates from storage, and encoding those that are not stored. */
  read: number;
  /** Scoring spans. */
  score: number;
  /** Reading text and building the answers. */
  text: number;
}

/** A passage that was scored. Offsets are UTF-16 units of the document's text. */
export interface RankedPassage {
  documentId: string;
  start: number;
  end: number;
  score: number;
}
