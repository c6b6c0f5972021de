/**
 * The pipeline of one question:
 *
 *   search → answers → confidence → (if unsure, or always) read the best passages → answers → confidence → answers, or none
 *
 * An index of level `lexical` gives sentences found by words in place of spans, and spans if a
 * reader reads.
 */

import type { EncodedQuestion } from "../encode/types.js";
import { readPassages } from "../reader/read-passages.js";
import type { Reader, Reading } from "../reader/types.js";
import { questionForReader } from "../reader/windows.js";
import { mergeBest } from "../search/locate/merge.js";
import { isByWords } from "../search/options.js";
import type { PassageRestriction } from "../search/restriction/restriction.js";
import { findSpans, type SearchResult } from "../search/search.js";
import type { Searcher } from "../search/searcher.js";
import type { StepTimes } from "../search/types.js";
import { type JudgedAnswers, judge } from "./answers.js";
import { FEATURE_SPANS, phraseFeatures } from "./confidence.js";
import { SPARE_ANSWERS } from "./entries.js";
import { type AskOptions, planReading, searchOptionsOf } from "./options.js";
import { answersFromReader, readablePassages } from "./read-answers.js";
import type { AskResult } from "./result.js";
import { ResultBuilder } from "./result-builder.js";

/** The answer so far. */
export interface AskStep {
  /** No step follows. */
  last: boolean;
  /** Builds the result; call it before the next step. */
  build(): Promise<AskResult>;
}

export interface AskRequest {
  /** Without `where`, which the index has resolved to a filter. */
  options: AskOptions;
  reader?: Reader;
  /**
   * The question as it was asked, if the encoded one has its typing mistakes corrected, no operators, or only a part
   * of it.
   */
  asked?: string;
  /** The encoded question has corrected words, or is a part of a long one. */
  isChanged?: boolean;
  /** The question's phrases and excluded words. */
  restriction?: PassageRestriction | undefined;
  /** Milliseconds spent before, in total and by step: they count towards the budget and the result's times. */
  spent?: { totalMs: number; steps: Partial<StepTimes> };
  /** The index has no vectors to find passages by. */
  withoutVectors?: boolean;
}

/**
 * Yields what phrase search found, then the answer after each batch that was read. With
 * `sparta-reader`, only the latter.
 * @throws VerbatimError `invalid-argument` for an option out of range or a missing part, `aborted`, `corrupt-segment`
 */
export async function* askSteps(
  searcher: Searcher,
  question: EncodedQuestion,
  request: AskRequest,
): AsyncGenerator<AskStep, void> {
  const { reader, spent = { totalMs: 0, steps: {} }, options, withoutVectors = false } = request;
  const began = searcher.now();
  const { model, levels } = searcher;
  const searchOptions = searchOptionsOf(options, levels, request.restriction);
  const { strategy } = searchOptions;
  const plan = planReading(options, { model, reader, strategy });
  const wantsFeatures = options.advanced?.features ?? false;
  const { asked = question.text, isChanged = false } = request;
  const builder = new ResultBuilder(searcher, {
    question: asked,
    searchedFor: isChanged ? question.text : undefined,
    strategy,
    began,
    spent,
    withoutVectors,
  });
  const threshold = (calibrated: number | undefined): number =>
    plan.minConfidence === "calibrated" ? (calibrated ?? 0) : plan.minConfidence;

  const phraseResult = (found: SearchResult, phrase: JudgedAnswers, reading?: Reading): Promise<AskResult> => {
    const isLexical = strategy === "lexical";
    const minConfidence = isLexical ? 0 : threshold(model.calibration?.threshold);
    return builder.build(found, phrase, { minConfidence, kind: isLexical ? "sentences" : "spans", reading });
  };

  const found = await findSpans(searcher, question, searchOptions);
  const phrase = await phraseAnswers(searcher, found, wantsFeatures);
  const isUnsure = phrase.confidence?.[0] !== undefined && phrase.confidence[0] < plan.readBelow;
  const reads = plan.mode === "on" || (plan.mode === "auto" && isUnsure);
  if (reader === undefined || !reads || found.passages.length === 0) {
    yield { last: true, build: () => phraseResult(found, phrase) };
    return;
  }
  if (strategy !== "sparta-reader") yield { last: false, build: () => phraseResult(found, phrase) };

  const readingBegan = searcher.now();
  const { calibration } = reader.info;
  const deadline = began - spent.totalMs + plan.budgetMs;
  const { passages, interpolation, states } = await startReading(searcher, question, { found, reader, deadline });
  for await (const state of states) {
    const build = async (): Promise<AskResult> => {
      const milliseconds = searcher.now() - readingBegan;
      const reading: Reading = { passages: state.read, ended: state.ended, milliseconds };
      const { features: _, ...unread } = phrase; // features of another kind than the reader's
      if (state.spans.length === 0) return phraseResult(found, unread, reading);
      const parts = { passages, interpolation, reader, phrase, found, wantsFeatures };
      const read = await answersFromReader(searcher, state, parts);
      if (read === undefined) return phraseResult(found, unread, reading);
      const minConfidence = isByWords(strategy) ? 0 : threshold(calibration?.threshold);
      return builder.build(found, read, { minConfidence, kind: "spans", reading, byReader: true });
    };
    yield { last: state.ended !== undefined, build };
  }
}

/** Starts reading the best passages that were found; `states` yields what is known after each batch. */
async function startReading(
  searcher: Searcher,
  question: EncodedQuestion,
  { found, reader, deadline }: { found: SearchResult; reader: Reader; deadline: number },
) {
  const { strategy, readerPassages, maxAnswerTokens, signal } = found.options;
  const passages = await readablePassages(searcher, found, {
    count: readerPassages,
    maxHeadingTokens: reader.info.maxHeadingTokens,
  });
  const { interpolation: tuned } = reader.info;
  const interpolation = isByWords(strategy) ? { ...tuned, reader: 1 } : tuned;
  const { isContinuation, now } = searcher;
  const states = readPassages(reader, questionForReader(question.ids, reader.info), {
    passages,
    options: { interpolation, maxAnswerTokens, isContinuation, deadline, now, signal },
  });
  return { passages, interpolation, states };
}

/** Answers of the search itself, with their confidence if the model is calibrated for them. */
async function phraseAnswers(searcher: Searcher, found: SearchResult, wantsFeatures: boolean): Promise<JudgedAnswers> {
  const { spans, options } = found;
  const { signal, strategy } = options;
  const topK = SPARE_ANSWERS * options.topK;
  if (isByWords(strategy)) {
    const merged = await mergeBest(searcher, spans, { question: undefined, topK, signal });
    return { spans, merged, confidence: undefined };
  }
  const { calibration } = searcher.model;
  const firstWave = calibration === undefined && !wantsFeatures ? undefined : FEATURE_SPANS;
  const question = found.question.encoded.text;
  const merged = await mergeBest(searcher, spans, { question, topK, firstWave, signal });
  return { spans, merged, ...judge(calibration, () => phraseFeatures(merged, spans), wantsFeatures) };
}
