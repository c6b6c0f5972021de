/** A site's results: the fields of the HTTP API's results (docs/server.md) that its page shows. */

import type { AskResult } from "../../src/ask/result.js";
import { type AnswerJson, answerJson, type ResultJson } from "../../src/ask/result-json.js";
import type { FoundSentence } from "../../src/publish/terms-first.js";

export type PlaceView = Pick<AnswerJson, "documentId" | "title" | "source" | "start" | "end" | "place" | "score">;

/** The fields of an answer that a page shows, besides its place and evidence. */
export type ShownField =
  | "text"
  | "context"
  | "contextStart"
  | "confidence"
  | "shown"
  | "header"
  | "lessLikely"
  | "alternatives"
  | "parts"
  | "ngrams";

export interface AnswerView extends PlaceView, Pick<AnswerJson, ShownField> {
  evidence: PlaceView[];
  passage?: { start: number; end: number; text: string };
}

/** `kind` is "sentences" for sentences found by words alone, and "spans" for exact spans. */
export interface SiteResult extends Pick<ResultJson, "kind" | "question" | "searchedFor" | "restriction" | "tookMs"> {
  answers: AnswerView[];
  /** The best passages, when no answer is confident enough. */
  nearestPassages?: AnswerView[];
}

export function phraseView(
  { question, searchedFor, restriction, kind, answers, nearestPassages }: AskResult,
  tookMs: number,
): SiteResult {
  const view: SiteResult = {
    kind,
    question,
    ...(searchedFor === undefined ? {} : { searchedFor }),
    ...(restriction === undefined ? {} : { restriction }),
    tookMs,
    answers: answers.map((answer) => answerJson(answer)),
  };
  if (nearestPassages === undefined) return view;
  return { ...view, nearestPassages: nearestPassages.map((passage) => answerJson(passage)) };
}

export function sentenceView(
  asked: Pick<SiteResult, "question" | "restriction">,
  sentences: readonly FoundSentence[],
  tookMs: number,
): SiteResult {
  const answers = sentences.map((sentence): AnswerView => {
    const { documentId, title, source, start, end, text, place, score } = sentence;
    const at = { documentId, title, source, start, end, place, score };
    return {
      ...at,
      text,
      context: text,
      contextStart: start,
      shown: "span",
      lessLikely: false,
      alternatives: [],
      evidence: [],
    };
  });
  return { kind: "sentences", ...asked, tookMs, answers };
}
