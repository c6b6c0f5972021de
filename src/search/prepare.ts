/** Prepares a question for integer arithmetic and look-ups, once, before any passage is scored. */

import { VECTOR_SCALE } from "../encode/pack.js";
import type { EncodedQuestion, ModelInfo } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import { COHERENCY_MAXIMUM, quantiseQuery } from "../vectors/quantise.js";
import { type QuestionNgrams, questionNgrams } from "./score/ngrams.js";

/** float part of a score = integer sum × perStep */
export interface QuestionVector {
  values: Int16Array;
  perStep: number;
}

export interface PreparedQuestion {
  encoded: EncodedQuestion;
  /** int16 [dense] */
  start: QuestionVector;
  end: QuestionVector;
  /** int16 [coherency], |value| ≤ 2047 */
  coherency: QuestionVector;
  /** Part of the dense score that is the same for all spans. */
  offset: number;
  /** int16 [vector]; `perStep` includes λ_v. */
  vector: QuestionVector;
  ngrams: QuestionNgrams;
  /** λ_n / scales.ngram: turns Σ byte × question weight into the n-gram part. */
  ngramPerStep: number;
}

/** The special tokens that no n-gram may contain. Every `Tokenizer` has them. */
export interface SpecialTokens {
  readonly padId: number;
  readonly clsId: number;
  readonly sepId: number;
}

export interface PrepareOptions {
  model: ModelInfo;
  tokenizer: SpecialTokens;
  /** λ_n; default the model's. 0 leaves the n-grams out ("dense only"). */
  ngramWeight?: number;
}

/**
 * Integer vectors with the factors back to floats: with stored = x · scale and query = q · s,
 *   q · x = Σ query · stored / (s · scale),   q · (x ⊙ y) = Σ query · stored_x · stored_y / (s · scale_x · scale_y).
 * @throws VerbatimError `model-mismatch` if a vector does not have the model's dimension; `invalid-argument` for NaN
 *   or infinity
 */
export function prepareQuestion(encoded: EncodedQuestion, options: PrepareOptions): PreparedQuestion {
  const { model, tokenizer, ngramWeight = model.weights.ngrams } = options;
  const { scales } = model;
  checkLength("start", encoded.start, model.dense);
  checkLength("end", encoded.end, model.dense);
  checkLength("coherency", encoded.coherency, model.coherency);
  const start = quantiseQuery(encoded.start);
  const end = quantiseQuery(encoded.end);
  const coherency = quantiseQuery(encoded.coherency, { maximum: COHERENCY_MAXIMUM });
  return {
    encoded,
    start: { values: start.values, perStep: 1 / (start.scale * scales.start) },
    end: { values: end.values, perStep: 1 / (end.scale * scales.end) },
    coherency: {
      values: coherency.values,
      perStep: 1 / (coherency.scale * scales.coherencyStart * scales.coherencyEnd),
    },
    offset: encoded.offset,
    vector: prepareVector(encoded, model),
    ngrams: questionNgrams(encoded, new Set([tokenizer.padId, tokenizer.clsId, tokenizer.sepId])),
    ngramPerStep: ngramWeight / scales.ngram,
  };
}

/** λ_v · cosine = Σ values · stored × perStep. @throws as `prepareQuestion` */
export function prepareVector(encoded: EncodedQuestion, model: ModelInfo): QuestionVector {
  checkLength("passage", encoded.vector, model.vector);
  const { values, scale } = quantiseQuery(encoded.vector);
  return { values, perStep: model.weights.vector / (scale * VECTOR_SCALE) };
}

/** The vector part of a passage that was encoded now. */
export function scoreOwnVector({ values, perStep }: QuestionVector, vector: Int8Array): number {
  let sum = 0;
  for (let d = 0; d < values.length; d++) sum += values[d]! * vector[d]!;
  return sum * perStep;
}

function checkLength(name: string, vector: Float32Array, expected: number): void {
  if (vector.length === expected) return;
  throw new VerbatimError(
    "model-mismatch",
    `The question's ${name} vector has ${vector.length} dimensions, the model says ${expected}.`,
    {
      found: vector.length,
      expected,
    },
  );
}
