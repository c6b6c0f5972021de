/**
 * One score from two:
 *   score = (1 − w) · rank + w · (min(span logit, most) + a · log σ(answer logit))
 *
 * `rank` is phrase search's score of the passage (of its best span); `w`, `a` and `most` come from
 * the reader's `interpolation`. Since log σ ≤ 0, no span of a passage of rank r exceeds
 * (1 − w) · r + w · most. Where reading may stop before that bound is reached, `likely` replaces `most`.
 */

import type { Interpolation } from "./types.js";

interface ReadLogits {
  /** start logit + end logit */
  span: number;
  answer: number;
}

function readerPart({ reader, answer, most }: Interpolation, logits: ReadLogits): number {
  return reader * (Math.min(logits.span, most) + answer * logSigmoid(logits.answer));
}

export function interpolatedScore(weights: Interpolation, rank: number, logits: ReadLogits): number {
  return (1 - weights.reader) * rank + readerPart(weights, logits);
}

/**
 * The score that a span of an unread passage of this rank is expected to reach at most; without `likely`, an upper
 * bound.
 */
export function likelyScore(weights: Interpolation, rank: number): number {
  const { likely = weights.most } = weights;
  return (1 - weights.reader) * rank + weights.reader * Math.min(likely, weights.most);
}

/** log(1 / (1 + e^−x)), without overflow. */
export function logSigmoid(x: number): number {
  return x < 0 ? x - Math.log1p(Math.exp(x)) : -Math.log1p(Math.exp(-x));
}
