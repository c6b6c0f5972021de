/** The encoder port and the data that it produces. Types only. */

import type { Tokenizer } from "../text/tokenizer.js";

/**
 * A trained model's description (models/<name>/model.json, docs/model-format.md).
 * Quantisation: int8 value = clamp(round(x · scale), -127, 127); uint8 value = clamp(round(x · scale), 0, 255).
 */
export interface ModelInfo {
  name: string;
  /**
   * SHA-256 (hex) over everything that determines a passage's encoding. An index built with another hash
   * is a `model-mismatch`.
   */
  passageModelHash: string;
  /** SHA-256 (hex) over what only the question side uses. Indexes stay valid when it changes. */
  questionModelHash: string;
  vocabularySize: number;
  /** Dimension of start and end vectors, each. A multiple of 16. */
  dense: number;
  /** Dimension of the coherency vectors c1 (of start rows) and c2 (of end rows). A multiple of 16. */
  coherency: number;
  /**
   * Dimension of the passage vector and the question's, a multiple of 16, at most 512. Stored as
   * round(127 · x). 0: the model has none.
   */
  vector: number;
  /** Longest encoder input, [CLS] title [SEP] … [SEP] included; at most 256: positions are bytes. */
  maxInputTokens: number;
  maxTitleTokens: number;
  maxQuestionTokens: number;
  /** Quantisation scale of each stored kind. */
  scales: { start: number; end: number; coherencyStart: number; coherencyEnd: number; ngram: number; term: number };
  /** λ of the score: dense + ngrams·ngram + terms·Σterms + tfidf·(tfidf(d) + tfidf(p)) + vector·cosine. */
  weights: { ngrams: number; terms: number; tfidf: number; vector: number };
  /** Thresholds: a start (end) row is stored if its filter logit reaches them. */
  filter: { start: number; end: number };
  /** Number of unigram weights kept per row, and of bigram weights unless `bigramsPerRow` is set. */
  ngramsPerRow: number;
  /** Number of bigram weights kept per row; 0 for none. */
  bigramsPerRow?: number;
  /** Number of term weights kept per unit. */
  termsPerUnit: number;
  /** Calibration of phrase search; without it answers have no confidence. Does not affect encodings. */
  calibration?: Calibration;
  /** Precision of stored values; default: no further rounding. Does not affect encodings. */
  storage?: StoragePrecision;
}

/**
 * Precision of stored passages. Vectors have one step per 16 dimensions, in units of the model's int8:
 * values are rounded to multiples of it (1: no rounding; 255: the 16 dimensions are read as 0).
 * docs/index-format.md §6.1
 */
export interface StoragePrecision {
  /** [⌈dense / 16⌉] each, 1 … 64 or 255 */
  start: readonly number[];
  end: readonly number[];
  /** [⌈coherency / 16⌉], of c1 and of c2 */
  coherency: readonly number[];
  /** Step of n-gram weights, 1 … 64. */
  ngramStep: number;
  /** Number of unigram and of bigram weights stored per row, ≥ 1. */
  ngramsPerRow: number;
  /** Number of term weights stored per unit, ≥ 1. */
  termsPerUnit: number;
  /** Minimum weight of the terms that a unit contains, stop list aside, ≥ 0. Default 0. */
  ownTermWeight?: number;
}

/**
 * From the features of a search to the probability that its answer is right:
 *   σ(intercept + Σ weight · (feature − mean) / scale), every weight ≥ 0
 * src/ask/confidence.ts defines the features; scripts/calibrate.ts fits the weights.
 */
export interface Calibration {
  intercept: number;
  features: Record<string, { mean: number; scale: number; weight: number }>;
  /** Answers below this confidence are suppressed. */
  threshold: number;
  /** The definition of "right", the data it was fitted on, and the result there. */
  about: Record<string, unknown>;
}

/** One input of the encoder: [CLS] title tokens [SEP] passage tokens [SEP]. */
export interface PassageInput {
  /** Token ids, specials included: [T]. */
  ids: Uint16Array;
  /** Position of the first passage token in `ids`; the last one is at T − 2. */
  firstToken: number;
  /** Position ranges [from, to), each pooled into one unit of term weights. Empty: no term weights. */
  units: Array<{ from: number; to: number }>;
}

/** N-gram weights of rows (CSR): row r owns entries offsets[r] … offsets[r + 1] − 1. */
export interface NgramRows {
  offsets: Uint32Array;
  /** Position in `ids` of the n-gram's first token, ascending within a row. */
  positions: Uint8Array | Uint16Array;
  /** weight ≈ value / scales.ngram */
  weights: Uint8Array;
}

/** The largest `termsPerUnit` term weights of one unit, by ascending term id. weight ≈ value / scales.term. */
export interface TermWeights {
  terms: Uint16Array;
  weights: Uint8Array;
}

/**
 * A passage as the index stores it and as its spans are scored. All arrays are quantised. Positions
 * refer to `ids`. S stored start rows, E stored end rows.
 */
export interface EncodedPassage {
  ids: Uint16Array;
  firstToken: number;
  /** [S], ascending */
  startPositions: Uint16Array;
  /** [E], ascending */
  endPositions: Uint16Array;
  /** [S × dense] row-major */
  startVectors: Int8Array;
  /** [E × dense] */
  endVectors: Int8Array;
  /** c1 [S × coherency] */
  startCoherency: Int8Array;
  /** c2 [E × coherency] */
  endCoherency: Int8Array;
  startUnigrams: NgramRows;
  startBigrams: NgramRows;
  endUnigrams: NgramRows;
  endBigrams: NgramRows;
  /** One entry per unit of the input, in order. */
  units: TermWeights[];
  /** What the whole passage is about, of length 1: int8 [vector], x ≈ value / 127. Empty without a network. */
  vector: Int8Array;
}

export interface EncodedQuestion {
  text: string;
  /** Token ids with [CLS] and [SEP]: [M]. */
  ids: Uint16Array;
  start: Float32Array;
  end: Float32Array;
  coherency: Float32Array;
  /** Dense score of the mean start and end row, which stored rows are without; the same for all spans. */
  offset: number;
  /** [vector], of length 1: its inner product with a passage's vector is their cosine. Zero without a network. */
  vector: Float32Array;
  /** [M] n-gram weights of the [CLS] row by position, ≥ 0; a bigram is at its first token. */
  startUnigrams: Float32Array;
  startBigrams: Float32Array;
  endUnigrams: Float32Array;
  endBigrams: Float32Array;
  /** Distinct question terms (no specials), ascending; weights are count × gain (SPARTA). */
  terms: Uint16Array;
  termWeights: Float32Array;
}

export interface EncodeOptions {
  signal?: AbortSignal;
  /** Keeps every row and every n-gram weight above half a step, for scoring given paragraphs and for oracle tests. */
  keepAll?: boolean;
}

/** Port: encodes passages and questions. The Node adapter runs ONNX in worker threads. */
export interface Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: Tokenizer;
  /** Encodes passages, in the order of the inputs. Batching never changes a result. */
  encodePassages(inputs: PassageInput[], options?: EncodeOptions): Promise<EncodedPassage[]>;
  encodeQuestion(text: string, options?: EncodeOptions): Promise<EncodedQuestion>;
  close(): Promise<void>;
}
