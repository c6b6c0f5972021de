/** Reads candidate passages and scores their spans with all their parts. */

import { throwIfAborted } from "../../errors.js";
import { rangeOf } from "../numbering.js";
import { scoreOwnVector } from "../prepare.js";
import type { ScorablePassage } from "../searcher.js";
import { type FoundSpan, SpanCollector } from "../spans.js";
import type { Candidates, StrategyRequest } from "../strategies/strategy.js";
import { scoreOwnTerms } from "./passage-scorer.js";
import { scoreSpans } from "./score-spans.js";

/** Passages read together: enough to share blocks, few enough that an exhaustive search needs little memory. */
const BATCH = 64;
/** Spans kept per search: an answer is lost only if this many better spans are copies of a few texts. */
const MAX_SPANS = 2000;
const SPANS_PER_ANSWER = 50;

export interface ScoredPassage {
  segment: number;
  passage: number;
  /** Score of its best span, or the score that ranked it. */
  score: number;
}

/** The scores of one question's candidates. */
export class CandidateScoring {
  /** Passages that can be ranked, in the order of scoring. */
  readonly passages: ScoredPassage[] = [];
  /** Score of the best span so far. */
  best = Number.NEGATIVE_INFINITY;
  /** The largest sum of dense and n-gram part of any span so far. */
  largestPhrase = Number.NEGATIVE_INFINITY;
  /** Milliseconds spent reading, and encoding passages that are not stored. */
  readMs = 0;
  /** Milliseconds spent scoring. */
  scoreMs = 0;
  /** Passages scored so far without stored rows. */
  encodedPassages = 0;
  readonly #request: StrategyRequest;
  readonly #collector: SpanCollector;
  /** Candidates so far, numbered across all segments. */
  readonly #seen = new Set<number>();

  constructor(request: StrategyRequest) {
    this.#request = request;
    this.#collector = new SpanCollector(Math.max(MAX_SPANS, SPANS_PER_ANSWER * request.options.topK));
  }

  /** Reads candidates and scores their spans; skips those that were added before. */
  async add(candidates: Candidates): Promise<void> {
    const { searcher, options } = this.#request;
    for (const batch of batches(this.#notSeen(candidates))) {
      throwIfAborted(options.signal);
      const started = searcher.now();
      const parts = await Promise.all(
        batch.map(({ segment, passages }) => searcher.readPassages(segment, passages, options.signal)),
      );
      const read = searcher.now();
      this.readMs += read - started;
      for (const [n, { segment, passages }] of batch.entries()) {
        if (searcher.levels[segment] !== "full") this.encodedPassages += passages.length;
        for (const [k, passage] of passages.entries()) this.#scoreOne(parts[n]![k]!, segment, passage);
      }
      this.scoreMs += searcher.now() - read;
    }
  }

  /**
   * Ranks passages by a score of their own, without scoring spans.
   * @param best  passages numbered across all segments, best first
   * @returns the same passages, in their order
   */
  rank({ ids, scores }: { ids: Uint32Array; scores: Float64Array }): ScoredPassage[] {
    const { firstPassages } = this.#request.searcher.numbering;
    const ranked = Array.from(ids, (number, n) => {
      const segment = rangeOf(firstPassages, number);
      return { segment, passage: number - firstPassages[segment]!, score: scores[n]! };
    });
    this.passages.push(...ranked);
    return ranked;
  }

  /** Collects spans that were scored elsewhere; the time counts as reading. */
  async addSpans(find: () => Promise<ReadonlyArray<FoundSpan | undefined>>): Promise<void> {
    const { searcher } = this.#request;
    const started = searcher.now();
    for (const span of await find()) if (span !== undefined) this.#collector.add(span);
    this.readMs += searcher.now() - started;
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
    const { firstPassages } = this.#request.searcher.numbering;
    return candidates.map((passages, segment) =>
      passages.filter((passage) => {
        const number = firstPassages[segment]! + passage;
        const isNew = !this.#seen.has(number);
        this.#seen.add(number);
        return isNew;
      }),
    );
  }

  /** Scores one passage and collects its best spans. */
  #scoreOne(stored: ScorablePassage, segment: number, passage: number): void {
    const { searcher, question, scorer, options } = this.#request;
    const { kernel, isContinuation } = searcher;
    const { maxAnswerTokens } = options;
    const number = searcher.numbering.firstPassages[segment]! + passage;
    const { units, vector: own } = stored;
    const { terms: storedTerms, tfidf, vector: storedVector } = scorer.of(number);
    const vector = own === undefined ? storedVector : scoreOwnVector(question.vector, own);
    const terms = units === undefined ? storedTerms : scoreOwnTerms(searcher.model, question.encoded, units);
    const { ids, firstToken } = stored;
    let best = Number.NEGATIVE_INFINITY;
    for (const span of scoreSpans(stored, question, { kernel, maxAnswerTokens, isContinuation })) {
      const { startPosition, endPosition, dense, ngram } = span;
      const score = dense + ngram + terms + tfidf + vector;
      best = Math.max(best, score);
      this.largestPhrase = Math.max(this.largestPhrase, dense + ngram);
      const parts = { dense, ngram, terms, tfidf, vector };
      this.#collector.add({ segment, passage, startPosition, endPosition, score, parts, ids, firstToken });
    }
    this.best = Math.max(this.best, best);
    if (best > Number.NEGATIVE_INFINITY) this.passages.push({ segment, passage, score: best });
  }
}

interface BatchPart {
  segment: number;
  passages: number[];
}

/** Batches of at most BATCH passages from one or several segments, in order. */
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
