/**
 * One question through the engine: prepare → sparse parts → candidates (by strategy) → spans → answers.
 *
 *   score(i, j, p, d) = dense(i, j) + λ_n · ngram(i, j) + λ_t · terms(p) + λ_d · (tfidf(d) + tfidf(p))
 *
 * A filter decides first which passages may be looked at, a strategy which of them are; a span has the same score whatever found it.
 */

import type { EncodedQuestion } from "../encode/types.js";
import { throwIfAborted, VerbatimError } from "../errors.js";
import type { AllowedPassages } from "./allowed.js";
import { toAnswer } from "./locate/answer.js";
import { type LocatedSpan, Locator } from "./locate/locate.js";
import { type MergedAnswer, mergeSpans } from "./locate/merge.js";
import { resolveOptions } from "./options.js";
import { type PreparedQuestion, prepareQuestion } from "./prepare.js";
import { CandidateScoring, type ScoredPassage } from "./score/score-candidates.js";
import { SparseQuestion } from "./score/sparse.js";
import type { SearchSession } from "./session.js";
import type { FoundSpan } from "./spans.js";
import { findDenseFirst } from "./strategies/dense-first.js";
import { scoreUnstored } from "./strategies/encode-first.js";
import { findExhaustive } from "./strategies/exhaustive.js";
import { isSettled } from "./strategies/hybrid.js";
import { findSparseFirst } from "./strategies/sparse-first.js";
import type { FindCandidates } from "./strategies/strategy.js";
import type { Answer, RankedPassage, SearchOptions, SearchResult, StepTimes, Strategy } from "./types.js";

/** Stages, one after another until nothing is left open. */
const STRATEGIES: Record<Strategy, readonly FindCandidates[]> = {
  hybrid: [findSparseFirst, findDenseFirst],
  "sparse-first": [findSparseFirst],
  "dense-first": [findDenseFirst],
  exhaustive: [findExhaustive],
};

/** Spans that are read as text before it is known how many answers they give. */
export const FIRST_WAVE = 20;

/** What a search found before any of it is read as text. */
export interface Found {
  prepared: PreparedQuestion;
  /** Best first. */
  spans: FoundSpan[];
  /** Those with a span, best first. */
  passages: ScoredPassage[];
  options: SearchOptions & { rankedPassages: number };
  /** Passages that were scored, with or without a span. */
  scored: number;
  /** A later stage was left out, since the first one settled the question. */
  settled: boolean;
  /** `text` is 0. */
  steps: StepTimes;
  /** On the session's clock. */
  started: number;
  ended: number;
  /** Passages that were encoded for this question or one before, since their rows are not stored. */
  unstored: number;
}

/**
 * The best answers to an encoded question, with the passages that were scored and the time of each step (`encode` is 0 here).
 * Answers: score descending, ties by document id, start, end. Empty when no passage was a candidate.
 * @throws VerbatimError `invalid-argument` for an option out of range, `aborted`, `corrupt-segment`, `model-mismatch`
 */
export async function search(
  session: SearchSession,
  question: EncodedQuestion,
  given: Partial<SearchOptions> = {},
): Promise<SearchResult> {
  const found = await findSpans(session, question, given);
  const { options, steps, prepared, spans, passages, started, ended: scored } = found;
  const { topK, signal } = options;
  const answers: Answer[] = [];
  for (const merged of (await mergeBest(session, spans, { topK, signal })).slice(0, topK)) {
    answers.push(await toAnswer(session, merged, { ...options, question: prepared }));
  }
  const ranked = await rankPassages(session, passages.slice(0, options.rankedPassages), signal);
  const ended = session.now();
  steps.text = ended - scored;
  return {
    question: question.text,
    strategy: options.strategy,
    answers,
    passages: ranked,
    steps,
    tookMs: ended - started,
  };
}

/** The first part of `search`: candidates and their spans. @throws as `search` */
export async function findSpans(
  session: SearchSession,
  question: EncodedQuestion,
  given: Partial<SearchOptions> = {},
): Promise<Found> {
  const options = resolveOptions(given);
  const { signal } = options;
  throwIfAborted(signal);
  const steps: StepTimes = { encode: 0, terms: 0, dense: 0, read: 0, score: 0, text: 0 };
  const started = session.now();
  const prepared = prepareQuestion(question, session);
  const allowed = await allowedPassages(session, options);
  const sparse = await SparseQuestion.read(session, question, { signal });
  steps.terms = session.now() - started;
  const request = { session, question: prepared, sparse, allowed, options };
  const scoring = new CandidateScoring(request);
  const hasUnstored = session.levels.some((level) => level !== "full");
  if (hasUnstored) requireRows(session, options);
  let settled = false;
  for (const [stage, find] of STRATEGIES[options.strategy].entries()) {
    settled = stage > 0 && isSettled(scoring, options);
    if (settled) break;
    const began = session.now();
    const candidates = await find(request);
    steps[find === findSparseFirst ? "terms" : "dense"] += session.now() - began;
    await scoring.add(candidates);
    if (find === findSparseFirst && hasUnstored) await scoreUnstored(request, scoring);
  }
  sparse.release(); // after an error its arrays are left to the garbage collector
  const spans = scoring.sortedSpans();
  const passages = scoring.sortedPassages();
  const ended = session.now();
  steps.read = scoring.read;
  steps.score = ended - started - steps.terms - steps.dense - steps.read;
  const { candidates: scored, unstored } = scoring;
  return { prepared, spans, passages, options, settled, scored, steps, started, ended, unstored };
}

/** @throws VerbatimError `invalid-argument` where what was asked for goes by stored rows, and there are none, or not all */
function requireRows({ levels }: SearchSession, { strategy }: SearchOptions): void {
  if (strategy !== "dense-first" || levels.includes("full")) return;
  const level = levels.find((one) => one !== "full");
  throw new VerbatimError("invalid-argument", `dense-first needs stored vectors, and the index is of level ${level}.`, {
    found: level,
    expected: "full",
    hint: "Ask without it, or run: verbatim upgrade --level full",
  });
}

/** The passages that may be ranked at all. */
export function allowedPassages(
  session: SearchSession,
  { filter, filterKey, signal }: Partial<SearchOptions>,
): AllowedPassages | Promise<AllowedPassages> {
  if (filter === undefined) return session.allowed.live;
  return session.allowed.of(filter, { ...(filterKey === undefined ? {} : { key: filterKey }), signal });
}

/**
 * Only as many spans are read as text as `topK` answers need, in waves; a wave never ends between spans of equal score, for their
 * order depends on their documents' ids.
 * @param spans  best first
 * @returns at least `topK` where there are so many: all that the waves gave
 */
export async function mergeBest(
  session: SearchSession,
  spans: readonly FoundSpan[],
  options: { topK: number; firstWave?: number; signal?: AbortSignal },
): Promise<MergedAnswer[]> {
  const { topK, firstWave = FIRST_WAVE, signal } = options;
  const locator = new Locator(session, signal);
  const located: LocatedSpan[] = [];
  let merged: MergedAnswer[] = [];
  for (let wave = Math.max(firstWave, 4 * topK); located.length < spans.length && merged.length < topK; wave *= 2) {
    let end = Math.min(wave, spans.length);
    while (end < spans.length && spans[end]!.score === spans[end - 1]!.score) end++;
    located.push(...(await locator.locate(spans.slice(located.length, end))));
    merged = mergeSpans(located);
    throwIfAborted(signal);
  }
  return merged;
}

export function rankPassages(
  session: SearchSession,
  passages: Array<{ segment: number; passage: number; score: number }>,
  signal: AbortSignal | undefined,
): Promise<RankedPassage[]> {
  return Promise.all(
    passages.map(async ({ segment, passage, score }) => {
      const { document, start, end } = session.segment(segment).passage(passage);
      const { id } = await session.document(segment, document, signal);
      return { documentId: id, start, end, score };
    }),
  );
}
