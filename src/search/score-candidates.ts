/** Reads candidate passages and scores their spans with all four parts. */

import { throwIfAborted } from "../errors.js";
import type { StoredPassage } from "../index/types.js";
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
  const { session, options } = request;
  const collector = new SpanCollector(Math.max(SPANS_KEPT, SPANS_KEPT_PER_ANSWER * options.topK));
  const scored: ScoredPassage[] = [];
  let read = 0;
  for (const batch of batches(candidates)) {
    throwIfAborted(options.signal);
    const started = session.now();
    const parts = await Promise.all(
      batch.map(({ segment, passages }) => session.segment(segment).readPassages(passages, options.signal)),
    );
    read += session.now() - started;
    for (const [n, { segment, passages }] of batch.entries()) {
      for (const [k, passage] of passages.entries()) {
        const score = scoreOne(request, parts[n]![k]!, { segment, passage, collector });
        if (score > Number.NEGATIVE_INFINITY) scored.push({ segment, passage, score });
      }
    }
  }
  scored.sort((a, b) => b.score - a.score || a.segment - b.segment || a.passage - b.passage);
  return { spans: collector.sorted(), passages: scored, read };
}

interface BatchPart {
  segment: number;
  passages: number[];
}

/** At most BATCH passages each, of one or several segments, in their order. */
function* batches(candidates: Candidates): Generator<BatchPart[]> {
  let batch: BatchPart[] = [];
  let room = BATCH;
  for (const [segment, numbers] of candidates.entries()) {
    for (let first = 0; first < numbers.length; ) {
      const passages = numbers.slice(first, first + room);
      batch.push({ segment, passages });
      first += passages.length;
      room -= passages.length;
      if (room > 0) continue;
      yield batch;
      batch = [];
      room = BATCH;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Collects a passage's best spans. @returns the score of the best; −∞ if it has none */
function scoreOne(
  { session, question, sparse, options }: StrategyRequest,
  stored: StoredPassage,
  place: { segment: number; passage: number; collector: SpanCollector },
): number {
  const { segment, passage, collector } = place;
  const { kernel, isContinuation } = session;
  const { maxAnswerTokens } = options;
  const number = session.numbering.firstPassages[segment]! + passage;
  const terms = sparse.terms[number]!;
  const tfidf = sparse.tfidf[number]!;
  const { ids, firstToken } = stored;
  let best = Number.NEGATIVE_INFINITY;
  for (const span of scorePassage(stored, question, { kernel, maxAnswerTokens, isContinuation })) {
    const { startPosition, endPosition, dense, ngram } = span;
    const score = dense + ngram + terms + tfidf;
    best = Math.max(best, score);
    const parts = { dense, ngram, terms, tfidf };
    collector.add({ segment, passage, startPosition, endPosition, score, parts, ids, firstToken });
  }
  return best;
}
