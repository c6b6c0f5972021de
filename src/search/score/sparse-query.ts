/**
 * "What must a store of postings add up, so that no passage scores more than it says?" The sparse side of a question as weights of terms and
 * n-grams, for a store that keeps numbers coarser than we do and ranks by their sum; src/search/score/sparse.ts has the exact score.
 */

import type { EncodedQuestion, ModelInfo } from "../../encode/types.js";
import { termWeight } from "./sparse.js";
import { weighGrams } from "./tfidf.js";

/** Bits that are left of a number's fraction in a store of 16-bit floats with 8 bits of it (Lucene's FeatureField). */
const KEPT_BITS = 8;
const LOST_BITS = 23 - KEPT_BITS;

export interface WeightedTerm {
  term: number;
  /** × impact 1 … 255 is the term's share of λ_t · terms(p); > 0 */
  weight: number;
}

/**
 * Terms that can raise a score. One whose weight is not above 0 is left out: then the sum without it is not less than the score. Where the
 * unit is the sentence, a passage's largest impact of each term bounds the best sentence's sum.
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

/** The smallest number not below `value` that a float32 with 8 bits of fraction holds. @param value  > 0, a normal float32 */
export function roundedUp(value: number): number {
  float[0] = value;
  if (float[0]! < value) bits[0]! += 1;
  const lost = bits[0]! & ((1 << LOST_BITS) - 1);
  if (lost !== 0) bits[0]! += (1 << LOST_BITS) - lost;
  return float[0]!;
}
