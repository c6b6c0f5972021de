/** "Here is a passage: which of its spans answer the question best?" Dense and n-gram parts; terms and tf-idf are the passage's. */

import type { StoredPassage } from "../index/types.js";
import type { Kernel } from "../math/kernel.js";
import { matchNgrams, ngramSum } from "./ngrams.js";
import type { PreparedQuestion } from "./prepare.js";

/** Positions are input positions, end inclusive. */
export interface PassageSpan {
  startPosition: number;
  endPosition: number;
  dense: number;
  ngram: number;
  /** dense + ngram */
  score: number;
}

export interface ScorePassageOptions {
  kernel: Kernel;
  /** Longest span in tokens, ≥ 1. */
  maxAnswerTokens: number;
  /** Spans returned at most; default 5. */
  spansPerPassage?: number;
  /** True for the id of a token inside a word ("##ing"): no span begins at one or ends before one. Default: none is. */
  isContinuation?: (id: number) => boolean;
}

export const SPANS_PER_PASSAGE = 5;

/**
 * Best spans of one passage, without overlap: a span that shares a token with a better one that was taken is dropped.
 *   dense(i, j) = q_start · H_i + q_end · G_j + q_coh · (c1_i ⊙ c2_j)                       (DenSPI Eq. 3–5)
 *   ngram(i, j) = λ_n · Σ_{side ∈ {start i, end j}} Σ_{uni, bi} Σ_entries weight · u[n-gram at position]   (SPARC Eq. 2)
 * over kept start rows i and kept end rows j of the passage's own tokens (not title or specials), i ≤ j < i + maxAnswerTokens.
 * @returns score descending, ties by (start, end). The integer sums are exact and the floats are added in a fixed order: the same
 *   span has the same score in every call. O((S + E) · dense + pairs · (coherency + spansPerPassage))
 */
export function scorePassage(
  passage: StoredPassage,
  question: PreparedQuestion,
  options: ScorePassageOptions,
): PassageSpan[] {
  const { spansPerPassage = SPANS_PER_PASSAGE } = options;
  const ranges = pairRanges(passage, options);
  if (ranges.count === 0) return [];
  const pairs = scorePairs(passage, question, { ...ranges, kernel: options.kernel });
  return takeBest(passage, { ...ranges, ...pairs, limit: spansPerPassage });
}

interface Ranges {
  /** Of start row i: its end rows are from[i] ≤ j < to[i]. */
  from: Uint32Array;
  to: Uint32Array;
  /** 1 for an end row where a span may end. */
  mayEnd: Uint8Array;
  count: number;
}

/** The pairs of rows that make a span. Both position lists ascend, so two pointers find them. */
function pairRanges(passage: StoredPassage, options: ScorePassageOptions): Ranges {
  const { ids, firstToken, startPositions, endPositions } = passage;
  const { maxAnswerTokens, isContinuation = () => false } = options;
  const last = ids.length - 1; // [SEP]
  const from = new Uint32Array(startPositions.length);
  const to = new Uint32Array(startPositions.length);
  const mayEnd = new Uint8Array(endPositions.length);
  for (let j = 0; j < endPositions.length; j++) {
    const end = endPositions[j]!;
    mayEnd[j] = end >= firstToken && end < last && (end + 1 === last || !isContinuation(ids[end + 1]!)) ? 1 : 0;
  }
  let near = 0;
  let far = 0;
  let count = 0;
  for (let i = 0; i < startPositions.length; i++) {
    const start = startPositions[i]!;
    while (near < endPositions.length && endPositions[near]! < start) near++;
    while (far < endPositions.length && endPositions[far]! < start + maxAnswerTokens && endPositions[far]! < last)
      far++;
    if (start < firstToken || start >= last || isContinuation(ids[start]!) || far < near) continue;
    from[i] = near;
    to[i] = far;
    count += far - near;
  }
  return { from, to, mayEnd, count };
}

interface PairScores {
  /** Of pair n, in the order of i, then j. */
  scores: Float64Array;
  dense: Float64Array;
  startNgrams: Float64Array;
  endNgrams: Float64Array;
}

function scorePairs(
  passage: StoredPassage,
  question: PreparedQuestion,
  options: Ranges & { kernel: Kernel },
): PairScores {
  const { from, to, count, kernel, mayEnd } = options;
  const starts = new Int32Array(passage.startPositions.length);
  const ends = new Int32Array(passage.endPositions.length);
  const coherency = new Int32Array(count);
  kernel.dots(passage.startVectors, question.start.values, starts);
  kernel.dots(passage.endVectors, question.end.values, ends);
  kernel.pairDots(passage.startCoherency, passage.endCoherency, {
    query: question.coherency.values,
    from,
    to,
    out: coherency,
  });
  const weights = matchNgrams(passage.ids, question.ngrams);
  const perStep = question.ngramPerStep;
  const startNgrams = new Float64Array(starts.length);
  for (let i = 0; i < starts.length; i++) {
    if (to[i] === from[i]) continue;
    const sum = ngramSum(passage.startUnigrams, i, weights.startUnigrams);
    startNgrams[i] = perStep * (sum + ngramSum(passage.startBigrams, i, weights.startBigrams));
  }
  const endNgrams = new Float64Array(ends.length);
  for (let j = 0; j < ends.length; j++) {
    const sum = ngramSum(passage.endUnigrams, j, weights.endUnigrams);
    endNgrams[j] = perStep * (sum + ngramSum(passage.endBigrams, j, weights.endBigrams));
  }
  const scores = new Float64Array(count);
  const dense = new Float64Array(count);
  let n = 0;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]! * question.start.perStep;
    for (let j = from[i]!; j < to[i]!; j++, n++) {
      const sum = start + ends[j]! * question.end.perStep + coherency[n]! * question.coherency.perStep;
      dense[n] = sum;
      scores[n] = mayEnd[j] === 1 ? sum + (startNgrams[i]! + endNgrams[j]!) : Number.NEGATIVE_INFINITY;
    }
  }
  return { scores, dense, startNgrams, endNgrams };
}

/** Takes the best pair, strikes out all that overlap it, and again. The first of equal pairs is the smaller (start, end). */
function takeBest(passage: StoredPassage, pairs: Ranges & PairScores & { limit: number }): PassageSpan[] {
  const { startPositions, endPositions } = passage;
  const { from, to, scores, dense, startNgrams, endNgrams, limit } = pairs;
  const taken: PassageSpan[] = [];
  while (taken.length < limit) {
    const before = taken.at(-1);
    let best = Number.NEGATIVE_INFINITY;
    let found: PassageSpan | undefined;
    for (let i = 0, n = 0; i < from.length; i++) {
      const start = startPositions[i]!;
      for (let j = from[i]!; j < to[i]!; j++, n++) {
        const end = endPositions[j]!;
        if (before !== undefined && start <= before.endPosition && end >= before.startPosition) {
          scores[n] = Number.NEGATIVE_INFINITY;
        } else if (scores[n]! > best) {
          best = scores[n]!;
          const ngram = startNgrams[i]! + endNgrams[j]!;
          found = { startPosition: start, endPosition: end, dense: dense[n]!, ngram, score: best };
        }
      }
    }
    if (found === undefined) break;
    taken.push(found);
  }
  return taken;
}
