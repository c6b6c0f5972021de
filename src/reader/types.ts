/** The contract between the reader and everything behind it, and what asking with one takes. Types only. */

import type { Calibration } from "../encode/types.js";

/** How the reader's and phrase search's scores make one, and what a reader's score is at most. */
export interface Mix {
  /** Weight of the reader's part, 0 to 1; the rest is the ranker's. */
  reader: number;
  /** ≥ 0: how much log P(the passage answers at all) counts within the reader's part. */
  answer: number;
  /** A span's logit above it counts as it. So no unread passage can bring more. */
  most: number;
}

/** What a trained reader says of itself (docs/model-format.md, "The reader's folder"). */
export interface ReaderInfo {
  name: string;
  readerHash: string;
  vocabularySize: number;
  /** SHA-256 (hex) of the vocabulary file that it was trained with: the encoder's must be the same. */
  vocabularySha256: string;
  /** Longest input: [CLS] question [SEP] title [SEP] passage [SEP]. */
  maxInputTokens: number;
  /** Of the question, [CLS] and [SEP] included. */
  maxQuestionTokens: number;
  maxTitleTokens: number;
  mix: Mix;
  /** Missing until it was calibrated: then there is neither a confidence nor `auto`. */
  calibration?: Calibration;
  /** `auto` reads when the confidence of phrase search is below it. */
  readBelow?: number;
}

/** One input of the reader. */
export interface ReaderInput {
  /** Token ids, specials included: [T]. */
  ids: Uint16Array;
  /** Length of [CLS] question [SEP]; the rest is of the second kind. */
  questionTokens: number;
}

/** Logits of one input. What they are at tokens outside of the passage means nothing. */
export interface ReaderOutput {
  /** [T] each: how much speaks for a span's beginning (last token) here. Comparable between the passages of one question. */
  start: Float32Array;
  end: Float32Array;
  /** Of "the passage answers the question at all". */
  answer: number;
}

/** Port: reads question and passage together. The node adapter runs ONNX in worker threads. */
export interface Reader {
  readonly info: ReaderInfo;
  /** Inputs that are read at once: the size of a batch. */
  readonly lanes: number;
  /** In the order of the inputs; how they are batched changes no logit by more than rounding. */
  read(inputs: ReaderInput[], options?: { signal?: AbortSignal }): Promise<ReaderOutput[]>;
  close(): Promise<void>;
}

export type ReaderMode = "off" | "auto" | "on";

export interface ReadOptions {
  /** `auto` reads only when phrase search is unsure. Default: `auto` if there is a reader and both models are calibrated, else `off`. */
  readerMode?: ReaderMode;
  /** Passages that are read at most, 1…1000. Default: 4 of those that phrase search ranks, 10 where words alone do (`lexical`, `sparta-reader`). */
  readerPassages?: number;
  /** `auto` reads where phrase search is less sure than this, 0…1: less is quicker, more is better. Default: the reader's. */
  readBelow?: number;
  /** Milliseconds from the call on after which no reading begins; the answer so far is given. At least 1. Default: no limit. */
  budgetMs?: number;
  /** An answer whose confidence is below is not given, 0…1; "calibrated" takes the model's threshold. Default 0. */
  minConfidence?: number | "calibrated";
}

/** What was read for a question. */
export interface Reading {
  passages: number;
  /** Why no more: all that were wanted are read, no unread one can win, or the time is up. Undefined while more will be read. */
  ended: "all" | "settled" | "budget" | undefined;
  milliseconds: number;
}
