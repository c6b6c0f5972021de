/** The best spans of one passage by dense and n-gram parts; terms and tf-idf are equal for all its spans. */

import type { StoredPassage } from "../../index/types.js";
import type { Kernel } from "../../kernel/kernel.js";
import type { PreparedQuestion } from "../prepare.js";
import { matchNgrams, ngramSum } from "./ngrams.js";

/** Positions are input positions, end inclusive. */
export interface PassageSpan {
  startPosition: number;
  endPosition: number;
  dense: number;
  ngram: number;
  /** dense + ngram */
  score: number;
}

export interface ScoreSpansOptions {
  kernel: Kernel;
  /** Longest span in tokens, ≥ 1. */
  maxAnswerTokens: number;
  /** Maximum number of spans returned; default 5. */
  spansPerPassage?: number;
  /**
   * True for a token inside a word, given the token before it: no span begins at one or ends before one. Default:
   * none is.
   */
  isContinuation?: (id: number, before: number) => boolean;
}

const SPANS_PER_PASSAGE = 5;

/**
 * Best spans of one passage, without overlap: a span that shares a token with a better one that was taken is dropped.
 *   dense(i, j) = q_start · H_i + q_end · G_j + q_coh · (c1_i ⊙ c2_j) + offset              (DenSPI Eq. 3–5)
 *   ngram(i, j) = λ_n · Σ_{side ∈ {start i, end j}} Σ_{uni, bi} Σ_entries weight · u[n-gram at position]   (SPARC Eq. 2)
 * over kept start rows i and kept end rows j of the passage's own tokens (not title or specials), i ≤ j < i +
 * maxAnswerTokens.
 * @returns score descending, ties by (start, end). The integer sums are exact and the floats are added in a fixed
 *   order: the same span has the same score in every call. O((S + E) · dense + pairs · (coherency + spansPerPassage))
 */
export function scoreSpans(
  passage: StoredPassage,
  question: PreparedQuestion,
  options: ScoreSpansOptions,
): PassageSpan[] {
  const { spansPerPassage = SPANS_PER_PASSAGE } = options;
  const pairs = pairRanges(passage, options);
  if (pairs === 0) return [];
  const count = scorePairs(passage, question, { kernel: options.kernel, pairs });
  return takeBest(passage, count, spansPerPassage);
}

/** Arrays that every call reuses: nothing in here outlives `scoreSpans`. */
const scratch = {
  /** The end rows of start row i are from[i] ≤ j < to[i]. */
  from: new Uint32Array(256),
  to: new Uint32Array(256),
  /** 1 for an end row where a span may end. */
  mayEnd: new Uint8Array(256),
  startDots: new Int32Array(256),
  endDots: new Int32Array(256),
  startNgrams: new Float64Array(256),
  endNgrams: new Float64Array(256),
  /** Coherency of every pair of the ranges. */
  coherency: new Int32Array(4096),
  /**
   * For every pair that may be a span, ordered by i, then j: its rows, its dense part, and the sum of dense and
   * n-gram parts.
   */
  startRows: new Uint16Array(4096),
  endRows: new Uint16Array(4096),
  dense: new Float64Array(4096),
  scores: new Float64Array(4096),
};

function makeRoomForRows(rows: number): void {
  if (scratch.from.length >= rows) return;
  scratch.from = new Uint32Array(rows);
  scratch.to = new Uint32Array(rows);
  scratch.mayEnd = new Uint8Array(rows);
  scratch.startDots = new Int32Array(rows);
  scratch.endDots = new Int32Array(rows);
  scratch.startNgrams = new Float64Array(rows);
  scratch.endNgrams = new Float64Array(rows);
}

function makeRoomForPairs(pairs: number): void {
  if (scratch.coherency.length >= pairs) return;
  scratch.coherency = new Int32Array(pairs);
  scratch.startRows = new Uint16Array(pairs);
  scratch.endRows = new Uint16Array(pairs);
  scratch.dense = new Float64Array(pairs);
  scratch.scores = new Float64Array(pairs);
}

/** Finds the pairs of rows that form a span, with two pointers, because both lists ascend. @returns their number */
function pairRanges(passage: StoredPassage, options: ScoreSpansOptions): number {
  const { ids, firstToken, startPositions, endPositions } = passage;
  const { maxAnswerTokens, isContinuation = () => false } = options;
  const last = ids.length - 1; // [SEP]
  makeRoomForRows(Math.max(startPositions.length, endPositions.length));
  const { from, to, mayEnd } = scratch;
  for (let j = 0; j < endPositions.length; j++) {
    const end = endPositions[j]!;
    mayEnd[j] =
      end >= firstToken && end < last && (end + 1 === last || !isContinuation(ids[end + 1]!, ids[end]!)) ? 1 : 0;
  }
  let near = 0;
  let far = 0;
  let count = 0;
  for (let i = 0; i < startPositions.length; i++) {
    const start = startPositions[i]!;
    while (near < endPositions.length && endPositions[near]! < start) near++;
    while (far < endPositions.length && endPositions[far]! < start + maxAnswerTokens && endPositions[far]! < last)
      far++;
    const isStart = start >= firstToken && start < last && !isContinuation(ids[start]!, ids[start - 1]!) && far > near;
    from[i] = isStart ? near : 0;
    to[i] = isStart ? far : 0;
    if (isStart) count += far - near;
  }
  return count;
}

/** Fills `startRows`, `endRows`, `dense` and `scores` for pairs whose end row may end a span. @returns their number */
function scorePairs(
  passage: StoredPassage,
  question: PreparedQuestion,
  options: { kernel: Kernel; pairs: number },
): number {
  const { kernel, pairs } = options;
  const startCount = passage.startPositions.length;
  const endCount = passage.endPositions.length;
  makeRoomForPairs(pairs);
  const { from, to, mayEnd, startDots, endDots, coherency, startNgrams, endNgrams } = scratch;
  kernel.dots(passage.startVectors, question.start.values, startDots.subarray(0, startCount));
  kernel.dots(passage.endVectors, question.end.values, endDots.subarray(0, endCount));
  kernel.pairDots(passage.startCoherency, passage.endCoherency, {
    query: question.coherency.values,
    from: from.subarray(0, startCount),
    to: to.subarray(0, startCount),
    out: coherency,
  });
  const weights = matchNgrams(passage.ids, question.ngrams);
  const perStep = question.ngramPerStep;
  for (let i = 0; i < startCount; i++) {
    if (to[i] === from[i]) continue;
    const sum = weights.unigrams ? ngramSum(passage.startUnigrams, i, weights.startUnigrams) : 0;
    startNgrams[i] = perStep * (weights.bigrams ? sum + ngramSum(passage.startBigrams, i, weights.startBigrams) : sum);
  }
  for (let j = 0; j < endCount; j++) {
    if (mayEnd[j] === 0) continue;
    const sum = weights.unigrams ? ngramSum(passage.endUnigrams, j, weights.endUnigrams) : 0;
    endNgrams[j] = perStep * (weights.bigrams ? sum + ngramSum(passage.endBigrams, j, weights.endBigrams) : sum);
  }
  return addParts(question, startCount);
}

function addParts(question: PreparedQuestion, startCount: number): number {
  const { from, to, mayEnd, startDots, endDots, coherency, startNgrams, endNgrams } = scratch;
  const { startRows, endRows, dense, scores } = scratch;
  const perStart = question.start.perStep;
  const perEnd = question.end.perStep;
  const perCoherency = question.coherency.perStep;
  let pair = 0;
  let n = 0;
  for (let i = 0; i < startCount; i++) {
    const start = startDots[i]! * perStart + question.offset;
    const end = to[i]!;
    for (let j = from[i]!; j < end; j++, pair++) {
      if (mayEnd[j] === 0) continue;
      const sum = start + endDots[j]! * perEnd + coherency[pair]! * perCoherency;
      startRows[n] = i;
      endRows[n] = j;
      dense[n] = sum;
      scores[n++] = sum + (startNgrams[i]! + endNgrams[j]!);
    }
  }
  return n;
}

/**
 * Repeatedly takes the best pair that overlaps none taken before. Of equal pairs, the smaller (start, end) comes
 * first.
 */
function takeBest({ startPositions, endPositions }: StoredPassage, count: number, limit: number): PassageSpan[] {
  const { startRows, endRows, dense, scores, startNgrams, endNgrams } = scratch;
  const taken: PassageSpan[] = [];
  while (taken.length < limit) {
    let best = Number.NEGATIVE_INFINITY;
    let found = -1;
    for (let n = 0; n < count; n++) {
      if (!(scores[n]! > best)) continue;
      if (overlapsAny(taken, startPositions[startRows[n]!]!, endPositions[endRows[n]!]!)) {
        scores[n] = Number.NEGATIVE_INFINITY;
        continue;
      }
      best = scores[n]!;
      found = n;
    }
    if (found < 0) break;
    const [i, j] = [startRows[found]!, endRows[found]!];
    const [startPosition, endPosition] = [startPositions[i]!, endPositions[j]!];
    const ngram = startNgrams[i]! + endNgrams[j]!;
    taken.push({ startPosition, endPosition, dense: dense[found]!, ngram, score: best });
  }
  return taken;
}

function overlapsAny(taken: readonly PassageSpan[], start: number, end: number): boolean {
  for (const other of taken) if (start <= other.endPosition && end >= other.startPosition) return true;
  return false;
}
