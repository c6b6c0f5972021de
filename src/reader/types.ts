/** The port of the reader, the network that reads question and passage together. Types and names only. */

import type { Calibration } from "../encode/types.js";

/**
 * How the reader's and phrase search's scores combine; the keys are those of `interpolation` in the reader's
 * model.json.
 */
export interface Interpolation {
  /** Weight of the reader's part, 0 to 1; the rest is phrase search's. */
  reader: number;
  /** ≥ 0: weight of log P(the passage answers at all) within the reader's part. */
  answer: number;
  /** Span logits are clipped at this value, which bounds the score of unread passages. */
  most: number;
  /**
   * Reading ends once no unread passage could win with a span logit of this size; at most `most`. Below it, a later
   * passage may hold a better span that is not found. Default: `most`, with which none is missed.
   */
  likely?: number;
}

/** What a trained reader says of itself (docs/model-format.md, "The reader's folder"). */
export interface ReaderInfo {
  name: string;
  readerHash: string;
  vocabularySize: number;
  /** SHA-256 (hex) of the vocabulary file that it was trained with; the encoder's must be the same. */
  vocabularySha256: string;
  /** Longest input: [CLS] question [SEP] title and heading [SEP] passage [SEP]. */
  maxInputTokens: number;
  /** Longest question, [CLS] and [SEP] included. */
  maxQuestionTokens: number;
  maxTitleTokens: number;
  /** Tokens of the heading that follows the title; 0 or absent: it is not shown. */
  maxHeadingTokens?: number;
  interpolation: Interpolation;
  /** Undefined until the reader is calibrated: then it has neither a confidence nor the mode `auto`. */
  calibration?: Calibration;
  /** `auto` reads if the confidence of phrase search is below it. */
  readBelow?: number;
}

/** One input of the reader. */
export interface ReaderInput {
  /** Token ids, specials included: [T]. */
  ids: Uint16Array;
  /** Length of [CLS] question [SEP]; the rest is of the second segment type. */
  questionTokens: number;
}

/** Logits of one input. Values outside the passage are meaningless. */
export interface ReaderOutput {
  /** One per token: a span begins here. Comparable between the passages of one question. */
  start: Float32Array;
  /** One per token: a span ends here, inclusive. */
  end: Float32Array;
  /** The passage answers the question at all. */
  answer: number;
}

/** Port: reads question and passage together. The Node adapter runs ONNX in worker threads. */
export interface Reader {
  readonly info: ReaderInfo;
  /** Number of inputs read at once: the size of a batch. */
  readonly lanes: number;
  /** Outputs in the order of the inputs; batching changes logits by rounding only. */
  read(inputs: ReaderInput[], options?: { signal?: AbortSignal }): Promise<ReaderOutput[]>;
  close(): Promise<void>;
}

/** Whether the reader reads: never, if phrase search is unsure, always. */
export const READER_MODES = ["off", "auto", "on"] as const;

export type ReaderMode = (typeof READER_MODES)[number];

/** What was read for a question. */
export interface Reading {
  /** Number of passages read. */
  passages: number;
  /**
   * Why reading ended: `all` wanted passages are read, `early` because no unread one can win,
   * `budget` because the time was up. Undefined while more will be read.
   */
  ended?: "all" | "early" | "budget";
  milliseconds: number;
}
