/** Reads candidate passages and scores their spans with all four parts. */

import { throwIfAborted } from "../errors.js";
import { scorePassage } from "./score-passage.js";
import { type FoundSpan, SpanCollector } from "./spans.js";
import type { Candidates, StrategyRequest } from "./strategy.js";

/** Passages read at once: enough to share blocks, few enough that an exhaustive search needs little memory. */
const BATCH = 64;
/** Spans kept of a search; an answer beyond them could only be missed if this many better spans were copies of few texts. */
const SPANS_KEPT = 2000;
const SPANS_KEPT_PER_ANSWER = 50;

export interface ScoredPassage {
  segment: number;
  passage: number;
  /** Of its best span. */
  score: number;
}

export interface ScoredCandidates {
  /** Best first. */
  spans: FoundSpan[];
  /** Those with a span, best first; ties by segment, then passage. */
  passages: ScoredPassage[];
  /** Milliseconds of reading. */
  read: number;
}

export async function scoreCandidates(request: StrategyRequest, candidates: Candidates): Promise<ScoredCandidates> {
  const { session, question, sparse, options } = request;
  const { kernel, isContinuation } = session;
  const { maxAnswerTokens, topK, signal } = options;
  const collector = new SpanCollector(Math.max(SPANS_KEPT, SPANS_KEPT_PER_ANSWER * topK));
  const scored: ScoredPassage[] = [];
  let read = 0;
  for (const [segment, numbers] of candidates.entries()) {
    for (let first = 0; first < numbers.length; first += BATCH) {
      throwIfAborted(signal);
      const batch = numbers.slice(first, first + BATCH);
      const started = session.now();
      const passages = await session.segment(segment).readPassages(batch, signal);
      read += session.now() - started;
      for (const [n, passage] of batch.entries()) {
        const stored = passages[n]!;
        const terms = sparse[segment]!.terms[passage]!;
        const tfidf = sparse[segment]!.tfidf[passage]!;
        let best = Number.NEGATIVE_INFINITY;
        for (const span of scorePassage(stored, question, { kernel, maxAnswerTokens, isContinuation })) {
          const { startPosition, endPosition, dense, ngram } = span;
          const score = dense + ngram + terms + tfidf;
          best = Math.max(best, score);
          const parts = { dense, ngram, terms, tfidf };
          const { ids, firstToken } = stored;
          collector.add({ segment, passage, startPosition, endPosition, score, parts, ids, firstToken });
        }
        if (best > Number.NEGATIVE_INFINITY) scored.push({ segment, passage, score: best });
      }
    }
  }
  scored.sort((a, b) => b.score - a.score || a.segment - b.segment || a.passage - b.passage);
  return { spans: collector.sorted(), passages: scored, read };
}
