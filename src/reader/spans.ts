/** "Here are a passage's logits: which of its spans are best, and how much do all of them weigh?" */

import type { PassageLogits } from "./windows.js";

/** A span of passage tokens, the last one inclusive. */
export interface TokenSpan {
  first: number;
  last: number;
  /** start logit + end logit */
  logit: number;
}

export interface SpanOptions {
  /** Longest span in tokens, ≥ 1. */
  maxAnswerTokens: number;
  /** Spans returned at most, ≥ 1. */
  most: number;
  /** True where a span may begin (end). Default: everywhere. */
  mayStart?: (token: number) => boolean;
  mayEnd?: (token: number) => boolean;
}

export interface PassageSpans {
  /** Best first, ties by place; one that shares a token with a better one is dropped. */
  best: TokenSpan[];
  /** log Σ exp(logit) over all spans that may be one: the passage's share of the normalisation. −∞ if there are none. */
  logMass: number;
}

/** All spans first ≤ last < first + maxAnswerTokens are looked at. O(tokens · maxAnswerTokens) */
export function readerSpans({ start, end }: PassageLogits, options: SpanOptions): PassageSpans {
  const { maxAnswerTokens, most, mayStart = () => true, mayEnd = () => true } = options;
  const tokens = start.length;
  const ends = Array.from({ length: tokens }, (_, t) => mayEnd(t));
  const spans: TokenSpan[] = [];
  for (let first = 0; first < tokens; first++) {
    if (!mayStart(first)) continue;
    const limit = Math.min(tokens, first + maxAnswerTokens);
    for (let last = first; last < limit; last++) {
      if (ends[last]) spans.push({ first, last, logit: start[first]! + end[last]! });
    }
  }
  if (spans.length === 0) return { best: [], logMass: Number.NEGATIVE_INFINITY };
  spans.sort((a, b) => b.logit - a.logit || a.first - b.first || a.last - b.last);
  const best: TokenSpan[] = [];
  for (const span of spans) {
    if (best.some((taken) => taken.first <= span.last && span.first <= taken.last)) continue;
    best.push(span);
    if (best.length === most) break;
  }
  return { best, logMass: logSumExp(spans.map((span) => span.logit)) };
}

/** log Σ exp(x), without overflow; −∞ for nothing. */
export function logSumExp(values: readonly number[]): number {
  let peak = Number.NEGATIVE_INFINITY;
  for (const value of values) peak = Math.max(peak, value);
  if (peak === Number.NEGATIVE_INFINITY) return peak;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - peak);
  return peak + Math.log(sum);
}
