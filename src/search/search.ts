/**
 * One question through the engine: prepare → sparse parts → candidates (by strategy) → spans → answers.
 *
 *   score(i, j, p, d) = dense(i, j) + λ_n · ngram(i, j) + λ_t · terms(p) + λ_d · (tfidf(d) + tfidf(p))
 *
 * A filter decides first which passages may be looked at, a strategy which of them are; a span has the same score whatever found it.
 */

import type { EncodedQuestion } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import type { AllowedPassages } from "./allowed.js";
import { toAnswer } from "./answer.js";
import { findDenseFirst } from "./dense-first.js";
import { findExhaustive } from "./exhaustive.js";
import { findHybrid } from "./hybrid.js";
import { type LocatedSpan, Locator } from "./locate.js";
import { type MergedAnswer, mergeSpans } from "./merge.js";
import { resolveOptions } from "./options.js";
import { type PreparedQuestion, prepareQuestion } from "./prepare.js";
import { scoreCandidates } from "./score-candidates.js";
import type { SearchSession } from "./session.js";
import type { FoundSpan } from "./spans.js";
import { scoreSparse } from "./sparse.js";
import { findSparseFirst } from "./sparse-first.js";
import type { FindCandidates } from "./strategy.js";
import type { Answer, RankedPassage, SearchOptions, SearchResult, StepTimes, Strategy } from "./types.js";

const STRATEGIES: Record<Strategy, FindCandidates> = {
  hybrid: findHybrid,
  "sparse-first": findSparseFirst,
  "dense-first": findDenseFirst,
  exhaustive: findExhaustive,
};

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
  const options = resolveOptions(given);
  const { signal } = options;
  throwIfAborted(signal);
  const steps: StepTimes = { encode: 0, terms: 0, dense: 0, read: 0, score: 0, text: 0 };
  const started = session.now();
  const prepared = prepareQuestion(question, session);
  const allowed = await allowedPassages(session, options);
  const sparse = await scoreSparse(session, question, { signal });
  const sparseDone = session.now();
  steps.terms = sparseDone - started;
  const request = { session, question: prepared, sparse, allowed, options };
  const candidates = await STRATEGIES[options.strategy](request);
  const found = session.now();
  steps.dense = found - sparseDone;
  const { spans, passages, read } = await scoreCandidates(request, candidates);
  session.scratch.give(sparse.terms, sparse.tfidf); // after an error they are left to the garbage collector
  const scored = session.now();
  steps.read = read;
  steps.score = scored - found - read;
  const answers = await toAnswers(session, spans, { ...options, question: prepared });
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

function allowedPassages(
  session: SearchSession,
  { filter, filterKey, signal }: Partial<SearchOptions>,
): AllowedPassages | Promise<AllowedPassages> {
  if (filter === undefined) return session.allowed.live;
  return session.allowed.of(filter, { ...(filterKey === undefined ? {} : { key: filterKey }), signal });
}

/**
 * Only as many spans are read as text as `topK` answers need, in waves; a wave never ends between spans of equal score, for their
 * order depends on their documents' ids.
 */
async function toAnswers(
  session: SearchSession,
  spans: FoundSpan[],
  options: { topK: number; explain: boolean; signal?: AbortSignal; question: PreparedQuestion },
): Promise<Answer[]> {
  const { topK, signal } = options;
  const locator = new Locator(session, signal);
  const located: LocatedSpan[] = [];
  let merged: MergedAnswer[] = [];
  for (let wave = Math.max(20, 4 * topK); located.length < spans.length && merged.length < topK; wave *= 2) {
    let end = Math.min(wave, spans.length);
    while (end < spans.length && spans[end]!.score === spans[end - 1]!.score) end++;
    located.push(...(await locator.locate(spans.slice(located.length, end))));
    merged = mergeSpans(located);
    throwIfAborted(signal);
  }
  const answers: Answer[] = [];
  for (const one of merged.slice(0, topK)) answers.push(await toAnswer(session, one, options));
  return answers;
}

function rankPassages(
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
