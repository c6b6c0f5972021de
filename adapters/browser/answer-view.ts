/** What a site answers, in the keys of the HTTP API (docs/server.md): one page shows both. */

import type { AskResult } from "../../src/ask/ask.js";
import type { FoundSentence } from "../../src/publish/terms-first.js";
import type { Answer, AnswerPlaceFields, NgramMatch, ScoreParts } from "../../src/search/types.js";
import type { Place } from "../../src/types.js";

export interface PlaceView {
  documentId: string;
  title: string;
  source: string;
  start: number;
  end: number;
  place: Place;
  score: number;
}

export interface AnswerView extends PlaceView {
  text: string;
  context: string;
  contextStart: number;
  confidence?: number;
  evidence: PlaceView[];
  parts?: ScoreParts;
  ngrams?: NgramMatch[];
  passage?: { start: number; end: number; text: string };
}

/** "sentences": found by words alone, each `text` a sentence; "answers": exact spans. */
export interface SiteResult {
  stage: "sentences" | "answers";
  question: string;
  tookMs: number;
  answers: AnswerView[];
  /** With no answer that is sure enough: the passages that come nearest. */
  nearest?: AnswerView[];
}

const placeView = (at: AnswerPlaceFields): PlaceView => {
  const { documentId, title, source, start, end, place, score } = at;
  return { documentId, title, source, start, end, place, score };
};

export function answerView(answer: Answer): AnswerView {
  const { text, context, contextStart, confidence, evidence, parts, ngrams } = answer;
  return {
    ...placeView(answer),
    text,
    context,
    contextStart,
    ...(confidence === undefined ? {} : { confidence }),
    evidence: evidence.map(placeView),
    ...(parts === undefined ? {} : { parts }),
    ...(ngrams === undefined ? {} : { ngrams }),
  };
}

export function phraseView({ question, answers, nearest }: AskResult, tookMs: number): SiteResult {
  const view: SiteResult = { stage: "answers", question, tookMs, answers: answers.map(answerView) };
  return nearest === undefined ? view : { ...view, nearest: nearest.map(answerView) };
}

export function sentenceView(question: string, sentences: readonly FoundSentence[], tookMs: number): SiteResult {
  const answers = sentences.map((sentence): AnswerView => {
    const { documentId, title, source, start, end, text, place, score } = sentence;
    const at = { documentId, title, source, start, end, place, score };
    return { ...at, text, context: text, contextStart: start, evidence: [] };
  });
  return { stage: "sentences", question, tookMs, answers };
}
