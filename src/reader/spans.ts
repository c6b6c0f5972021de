/** The best spans of a passage by the reader's logits, and the log-sum over all of them. */

import type { PassageLogits } from "./windows.js";

/** A span of passage tokens, the last one inclusive. */
interface TokenSpan {
  first: number;
  last: number;
  /** start logit + end logit */
  logit: number;
}

interface SpanOptions {
  /** Longest span in tokens, ≥ 1. */
  maxAnswerTokens: number;
  /** Maximum number of spans returned, ≥ 1. */
  maxSpans: number;
  /** True for a token at which a span may begin. Default: any. */
  mayStart?: (token: number) => boolean;
  /** The same for the last token of a span. */
  mayEnd?: (token: number) => boolean;
}

interface PassageSpans {
  /** Best first, ties by position; a span that shares a token with a better one is dropped. */
  best: TokenSpan[];
  /** log Σ exp(logit) over all possible spans: the passage's share of the normalisation. −∞ without any. */
  logMass: number;
}

/** Scores all spans with first ≤ last < first + maxAnswerTokens. O(tokens · maxAnswerTokens) */
export function readerSpans({ start, end }: PassageLogits, options: SpanOptions): PassageSpans {
  const { maxAnswerTokens, maxSpans, mayStart = () => true, mayEnd = () => true } = options;
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
    if (best.length === maxSpans) break;
  }
  return { best, logMass: logSumExp(spans.map((span) => span.logit)) };
}

/** log Σ exp(x), without overflow; −∞ for an empty list. */
export function logSumExp(values: readonly number[]): number {
  let peak = Number.NEGATIVE_INFINITY;
  for (const value of values) peak = Math.max(peak, value);
  if (peak === Number.NEGATIVE_INFINITY) return peak;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - peak);
  return peak + Math.log(sum);
}
