/**
 * The sparse part of a question as weights of terms and n-grams, for a store that ranks passages by a
 * weighted sum of numbers that it keeps with less precision (a cluster). Its sum is an upper bound of
 * the exact score, which src/search/score/passage-scorer.ts computes.
 */

import type { EncodedQuestion, ModelInfo } from "../../encode/types.js";
import { termWeight } from "./passage-scorer.js";
import { weighGrams } from "./tfidf.js";

/** Bits of a number's fraction that the store keeps (Lucene's FeatureField). */
const KEPT_BITS = 8;
const LOST_BITS = 23 - KEPT_BITS;

export interface WeightedTerm {
  term: number;
  /** × impact 1 … 255 is the term's share of λ_t · terms(p); > 0 */
  weight: number;
}

/**
 * The terms that can raise a score: those with a weight above 0. Without the others, the sum is still
 * an upper bound. So it is if units are sentences and the store has a passage's largest impact of
 * each term.
 */
export function weightedTerms(question: EncodedQuestion, model: ModelInfo): WeightedTerm[] {
  const all = Array.from(question.terms, (term, n) => ({ term, weight: termWeight(model, question, n) }));
  return all.filter(({ weight }) => weight > 0);
}

/** × `gramFeature` of a unit is the n-gram's share of λ_d · tfidf(u); ≥ 0. In the order of `grams`. */
export function gramWeights(
  grams: ReadonlyArray<readonly [bucket: number, count: number]>,
  collection: { lambda: number; total: number; frequency: (bucket: number) => number },
): number[] {
  const { lambda, total, frequency } = collection;
  const { weights, norm } = weighGrams(grams, { units: total, having: (n) => frequency(grams[n]![0]) });
  return weights.map((weight) => (norm > 0 ? (lambda * weight) / norm : 0));
}

/** log(1 + count) / norm, rounded up to what the store keeps exactly. @param count  1 … 255 */
export function gramFeature(count: number, norm: number): number {
  return roundedUp(Math.log(1 + count) / norm);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * The smallest number not below `value` that a float32 with 8 bits of fraction holds. @param value  > 0, a normal
 * float32
 */
export function roundedUp(value: number): number {
  float[0] = value;
  if (float[0]! < value) bits[0]! += 1;
  const lost = bits[0]! & ((1 << LOST_BITS) - 1);
  if (lost !== 0) bits[0]! += (1 << LOST_BITS) - lost;
  return float[0]!;
}
