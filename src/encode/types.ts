/** The contract between the encoder and everything behind it. Leaf file: types only. */

import type { WordPieceTokenizer } from "../text/wordpiece.js";

/**
 * What a trained model says of itself (models/<name>/model.json, docs/model-format.md).
 * Quantisation: int8 value = clamp(round(x · scale), -127, 127); uint8 value = clamp(round(x · scale), 0, 255).
 */
export interface ModelInfo {
  name: string;
  /** SHA-256 (hex) over everything that decides a passage's encoding. An index of another hash is a `model-mismatch`. */
  passageModelHash: string;
  /** SHA-256 (hex) over what only the question side uses; may change while indexes stay valid. */
  questionModelHash: string;
  vocabularySize: number;
  /** Dimension of start and end vectors, each. A multiple of 16. */
  dense: number;
  /** The first `coarse` dimensions of the start vectors carry most of their inner products (PCA rotation at export). A multiple of 16. */
  coarse: number;
  /** Dimension of the coherency vectors c1 (of start rows) and c2 (of end rows). A multiple of 16. */
  coherency: number;
  /** Longest input of the encoder when indexing, [CLS] title [SEP] … [SEP] included; at most 256, so that a position fits a byte. */
  maxInputTokens: number;
  maxTitleTokens: number;
  maxQuestionTokens: number;
  /** Steps per unit of each stored kind. */
  scales: { start: number; end: number; coherencyStart: number; coherencyEnd: number; ngram: number; term: number };
  /** λ of the score: dense + ngrams·ngram + terms·Σterms + tfidf·(tfidf(d) + tfidf(p)). */
  weights: { ngrams: number; terms: number; tfidf: number };
  /** A start (end) row is kept if its filter logit is ≥ the threshold. */
  filter: { start: number; end: number };
  /** Largest n-gram weights kept for a row, each of unigrams and bigrams. */
  ngramsPerRow: number;
  /** The same for bigrams, 0 for none; without it as many as unigrams. */
  bigramsPerRow?: number;
  /** Largest term weights kept for a unit. */
  termsPerUnit: number;
  /** Of phrase search's scores; without it answers have no confidence. Decides no encoding: indexes stay valid when it changes. */
  calibration?: Calibration;
  /** How finely an index keeps what this model gives; without it everything as it is. Decides no encoding: indexes stay valid when it changes. */
  storage?: StoragePrecision;
  /**
   * Base64 of int8 [(32 + 1024) × coarse]: the centroids by whose lists segments keep their start rows (src/vectors/centroids.ts); without it every row is
   * scanned. Decides no encoding: indexes stay valid when it changes, and `compact` puts their rows in its lists.
   */
  coarseCentroids?: string;
}

/**
 * How finely an index keeps passages. A step is the distance of the values that are kept, in steps of the model's int8 (1: all of
 * them); one for each 16 dimensions, 255: the 16 are read as 0. What it saves and costs: docs/index-format.md §6.1.
 */
export interface StoragePrecision {
  /** [⌈dense / 16⌉] each, 1 … 64 or 255 */
  start: readonly number[];
  end: readonly number[];
  /** [⌈coherency / 16⌉], of c1 and of c2 */
  coherency: readonly number[];
  /** Bits of a number of the rows that the dense stage scans. */
  coarseBits: 4 | 8;
  /** Step of the n-gram weights, 1 … 64. */
  ngramStep: number;
  /** Largest n-gram weights kept for a row, each of unigrams and of bigrams; ≥ 1. */
  ngramsPerRow: number;
  /** Largest term weights kept for a unit; ≥ 1. */
  termsPerUnit: number;
}

/**
 * From figures of a search to the probability that its answer is right: σ(intercept + Σ weight · (figure − mean) / scale), every weight ≥ 0.
 * src/ask/confidence.ts says what the figures are; scripts/calibrate.ts fits them.
 */
export interface Calibration {
  intercept: number;
  figures: Record<string, { mean: number; scale: number; weight: number }>;
  /** An answer below this confidence is rather none. */
  threshold: number;
  /** What "right" meant, on what it was fitted, and what it reached there. */
  about: Record<string, unknown>;
}

/** One input of the encoder: [CLS] title tokens [SEP] passage tokens [SEP]. */
export interface PassageInput {
  /** Token ids, specials included: [T]. */
  ids: Uint16Array;
  /** Position of the first passage token in `ids`; the last passage token is at T - 2. */
  firstToken: number;
  /** Ranges [from, to) of positions in `ids` whose tokens pool into one unit of term weights each. Empty: no term weights wanted. */
  units: Array<{ from: number; to: number }>;
}

/** Weights of n-grams for the rows of one kind (CSR): row r owns entries offsets[r] … offsets[r + 1] - 1. */
export interface NgramRows {
  offsets: Uint32Array;
  /** Position in `ids` of the n-gram's first token, ascending within a row. */
  positions: Uint8Array | Uint16Array;
  /** weight ≈ value / scales.ngram */
  weights: Uint8Array;
}

/** Weights of the vocabulary's terms for one unit: the largest `termsPerUnit`, by term id ascending. weight ≈ value / scales.term, ≥ 1. */
export interface TermWeights {
  terms: Uint16Array;
  weights: Uint8Array;
}

/**
 * A passage as the index stores it and as spans are scored from it. All arrays are quantised; nothing else of the network is kept.
 * Positions are positions in `ids`. S kept start rows, E kept end rows.
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
  /** One entry a unit of the input, in order. */
  units: TermWeights[];
}

export interface EncodedQuestion {
  text: string;
  /** Token ids with [CLS] and [SEP]: [M]. */
  ids: Uint16Array;
  start: Float32Array;
  end: Float32Array;
  coherency: Float32Array;
  /** n-gram weights of the [CLS] row by position, ≥ 0: [M] each; a bigram stands at its first token. */
  startUnigrams: Float32Array;
  startBigrams: Float32Array;
  endUnigrams: Float32Array;
  endBigrams: Float32Array;
  /** Distinct question terms (no specials), ascending, with count × gain: the question's side of SPARTA's sum. */
  terms: Uint16Array;
  termWeights: Float32Array;
}

export interface EncodeOptions {
  signal?: AbortSignal;
  /** Keep every row and every n-gram weight above half a step (paragraph given, oracle tests) instead of the filter's choice. */
  keepAll?: boolean;
}

/** Port: turns passages and questions into numbers. The node adapter runs ONNX in worker threads; tests use a tiny deterministic one. */
export interface Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: WordPieceTokenizer;
  /** Encodings in the order of the inputs. Inputs are independent: how they are batched never changes a result. */
  encodePassages(inputs: PassageInput[], options?: EncodeOptions): Promise<EncodedPassage[]>;
  /** Term weights only are never needed of a question: SPARTA uses its bare tokens. */
  encodeQuestion(text: string, options?: EncodeOptions): Promise<EncodedQuestion>;
  close(): Promise<void>;
}
