/** Reads candidate passages and scores their spans with all four parts. */

import { throwIfAborted } from "../../errors.js";
import { type Numbering, rangeOf } from "../global-ids.js";
import type { ScorablePassage } from "../session.js";
import { type FoundSpan, SpanCollector } from "../spans.js";
import type { Candidates, StrategyRequest } from "../strategies/strategy.js";
import { scorePassage } from "./score-passage.js";
import { scoreOwnTerms } from "./sparse.js";

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

/** Passages that were ranked by a score of their own. @param best  numbered through all segments */
export function scoredPassages(
  { firstPassages }: Numbering,
  best: { ids: Uint32Array; scores: Float64Array },
): ScoredPassage[] {
  return Array.from(best.ids, (number, n) => {
    const segment = rangeOf(firstPassages, number);
    return { segment, passage: number - firstPassages[segment]!, score: best.scores[n]! };
  });
}

/** What is scored of one question, stage by stage. */
export class CandidateScoring {
  /** Passages with a span, in the order of scoring. */
  readonly passages: ScoredPassage[] = [];
  /** Of the best span so far. */
  best = Number.NEGATIVE_INFINITY;
  /** The largest dense and n-gram part together of a span so far. */
  largestPhrase = Number.NEGATIVE_INFINITY;
  /** The least sparse part of a candidate so far. */
  leastSparse = Number.POSITIVE_INFINITY;
  /** Milliseconds of reading, and of encoding what is not stored. */
  read = 0;
  /** Passages scored so far whose rows are not stored. */
  unstored = 0;
  readonly #request: StrategyRequest;
  readonly #collector: SpanCollector;
  /** Numbers of the candidates so far, numbered through all segments. */
  readonly #seen = new Set<number>();

  constructor(request: StrategyRequest) {
    this.#request = request;
    this.#collector = new SpanCollector(Math.max(SPANS_KEPT, SPANS_KEPT_PER_ANSWER * request.options.topK));
  }

  /** Candidates that were there before are passed over. */
  async add(candidates: Candidates): Promise<void> {
    const { session, options } = this.#request;
    for (const batch of batches(this.#notSeen(candidates))) {
      throwIfAborted(options.signal);
      const started = session.now();
      const parts = await Promise.all(
        batch.map(({ segment, passages }) => session.readPassages(segment, passages, options.signal)),
      );
      this.read += session.now() - started;
      for (const { segment, passages } of batch)
        if (session.levels[segment] !== "full") this.unstored += passages.length;
      for (const [n, { segment, passages }] of batch.entries()) {
        for (const [k, passage] of passages.entries()) this.#scoreOne(parts[n]![k]!, segment, passage);
      }
    }
  }

  /** Candidates so far, with or without a span. */
  get candidates(): number {
    return this.#seen.size;
  }

  /** Best first. */
  sortedSpans(): FoundSpan[] {
    return this.#collector.sorted();
  }

  /** Best first; ties by segment, then passage. */
  sortedPassages(): ScoredPassage[] {
    return this.passages.sort((a, b) => b.score - a.score || a.segment - b.segment || a.passage - b.passage);
  }

  #notSeen(candidates: Candidates): Candidates {
    const { firstPassages } = this.#request.session.numbering;
    return candidates.map((passages, segment) =>
      passages.filter((passage) => {
        const number = firstPassages[segment]! + passage;
        const isNew = !this.#seen.has(number);
        this.#seen.add(number);
        return isNew;
      }),
    );
  }

  /** Collects a passage's best spans. */
  #scoreOne(stored: ScorablePassage, segment: number, passage: number): void {
    const { session, question, sparse, options } = this.#request;
    const { kernel, isContinuation } = session;
    const { maxAnswerTokens } = options;
    const number = session.numbering.firstPassages[segment]! + passage;
    const { units } = stored;
    const { terms: storedTerms, tfidf } = sparse.of(number);
    const terms = units === undefined ? storedTerms : scoreOwnTerms(session.model, question.encoded, units);
    const { ids, firstToken } = stored;
    let best = Number.NEGATIVE_INFINITY;
    for (const span of scorePassage(stored, question, { kernel, maxAnswerTokens, isContinuation })) {
      const { startPosition, endPosition, dense, ngram } = span;
      const score = dense + ngram + terms + tfidf;
      best = Math.max(best, score);
      this.largestPhrase = Math.max(this.largestPhrase, dense + ngram);
      const parts = { dense, ngram, terms, tfidf };
      this.#collector.add({ segment, passage, startPosition, endPosition, score, parts, ids, firstToken });
    }
    this.best = Math.max(this.best, best);
    this.leastSparse = Math.min(this.leastSparse, terms + tfidf);
    if (best > Number.NEGATIVE_INFINITY) this.passages.push({ segment, passage, score: best });
  }
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
