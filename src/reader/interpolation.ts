/**
 * One score from two:  score = (1 − w) · rank + w · (min(span logit, most) + a · log σ(answer logit))
 *
 * `rank` is phrase search's score of the passage (of its best span), `w`, `a` and `most` are the reader's `mix`. Since log σ ≤ 0, no
 * span of a passage of rank r has more than (1 − w) · r + w · most, whatever the reader will say of it.
 */

import type { Mix } from "./types.js";

export interface ReadLogits {
  /** start logit + end logit */
  span: number;
  answer: number;
}

export function readerPart({ reader, answer, most }: Mix, logits: ReadLogits): number {
  return reader * (Math.min(logits.span, most) + answer * logSigmoid(logits.answer));
}

export function mixedScore(mix: Mix, rank: number, logits: ReadLogits): number {
  return (1 - mix.reader) * rank + readerPart(mix, logits);
}

/** The most that any span of a passage of this rank can score. */
export function highestScore(mix: Mix, rank: number): number {
  return (1 - mix.reader) * rank + mix.reader * mix.most;
}

/** log(1 / (1 + e^−x)), without overflow. */
export function logSigmoid(x: number): number {
  return x < 0 ? x - Math.log1p(Math.exp(x)) : -Math.log1p(Math.exp(-x));
}
