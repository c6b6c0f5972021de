/** Chooses which passages without stored rows are encoded for a question: the best by what their segments store. */

import { TopK } from "../../vectors/topk.js";
import type { SearchOptions } from "../options.js";
import { scoreBm25 } from "../score/bm25.js";
import type { CandidateScoring } from "../score/score-candidates.js";
import { confirmedBest } from "./confirmed.js";
import { type StrategyRequest, toCandidates } from "./strategy.js";

/**
 * Weight of BM25 alongside the thinned terms, which have lost some of their information. On 300
 * held-out questions over 56,000 passages the right paragraph is among the ten best for 84.3 %
 * without it, 85.3 % with a quarter and 87.3 % with a half (91.0 % at level `full`).
 */
const BM25_WEIGHT = 0.5;
/** Passages encoded together: enough to keep a few threads busy, few enough to stop early. */
const BATCH = 4;

/**
 * Encodes and scores at most `maxEncodedPassages` passages of level `thin`, best by
 * λ_t · terms + λ_d · tfidf + λ_v · cosine + ½ · BM25 first, until none of the others is likely to rank first
 * (`isDecidedBeyond`); then as many of level `lexical`, best by BM25 first. The order only chooses
 * passages: their scores are those of level `full`.
 */
export async function scoreUnstored(request: StrategyRequest, scoring: CandidateScoring): Promise<void> {
  const { searcher, scorer, options } = request;
  const { levels } = searcher;
  const { scores: bm25 } = await scoreBm25(searcher, request.question.encoded.text, options);
  if (levels.includes("thin")) {
    const { terms, tfidf, vector } = scorer.all();
    const sparseOf = (p: number): number => terms[p]! + tfidf[p]! + vector[p]!;
    const scores = searcher.scratch.take(terms.length);
    for (let p = 0; p < scores.length; p++) scores[p] = sparseOf(p) + BM25_WEIGHT * bm25[p]!;
    const numbers = await bestOf(request, { scores, level: "thin" });
    searcher.scratch.give(scores);
    for (let first = 0; first < numbers.length; first += BATCH) {
      const left = numbers.slice(first);
      const maxSparse = left.reduce((best, p) => Math.max(best, sparseOf(p)), Number.NEGATIVE_INFINITY);
      if (first > 0 && isDecidedBeyond(maxSparse, scoring, options)) break;
      await scoring.add(toCandidates(searcher.numbering, left.slice(0, BATCH)));
    }
  }
  if (levels.includes("lexical"))
    await scoring.add(toCandidates(searcher.numbering, await bestOf(request, { scores: bm25, level: "lexical" })));
  searcher.scratch.give(bm25);
}

/** Passages of one level with a score above 0 (with phrases or excluded words: all), best first. */
function bestOf(
  request: StrategyRequest,
  { scores, level }: { scores: Float64Array; level: "thin" | "lexical" },
): Promise<readonly number[]> {
  const { searcher, allowed, options } = request;
  const { firstPassages } = searcher.numbering;
  return confirmedBest(request, options.maxEncodedPassages, (count) => {
    const best = new TopK(Math.min(count, scores.length));
    for (const [segment, own] of searcher.levels.entries()) {
      if (own !== level) continue;
      for (let number = firstPassages[segment]!; number < firstPassages[segment + 1]!; number++) {
        if ((scores[number]! > 0 || allowed.isRestricted) && allowed.has(number)) best.offer(number, scores[number]!);
      }
    }
    return [...best.sorted().ids];
  });
}

/**
 * Whether passages that were not scored, with at most this sparse part, can be skipped. One of their
 * spans can rank first only if its dense and n-gram parts make up the difference; they are skipped
 * if these parts would have to be `earlyStopFactor` times the largest of any scored passage. The
 * factor was measured and guarantees nothing (docs/evaluation.md). Nothing is skipped if the factor
 * is infinite, or while fewer than `topK` passages have an answer.
 */
function isDecidedBeyond(
  sparse: number,
  { best, largestPhrase, passages }: CandidateScoring,
  { topK, earlyStopFactor }: SearchOptions,
): boolean {
  return passages.length >= topK && largestPhrase > 0 && best - sparse >= earlyStopFactor * largestPhrase;
}
