/** From spans to answers with their confidence, or to no answer and the nearest passages. */

import type { Calibration } from "../encode/types.js";
import { type AnswerOptions, toAnswer } from "../search/locate/answer.js";
import { Locator } from "../search/locate/locate.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import type { PreparedQuestion } from "../search/prepare.js";
import type { Searcher } from "../search/searcher.js";
import type { FoundSpan } from "../search/spans.js";
import type { Answer } from "../search/types.js";
import { bestOfPassages, confidences, type Features } from "./confidence.js";
import { listEntries } from "./entries.js";
import type { AskResult } from "./result.js";

/** Passages returned in place of an answer. */
const MAX_NEAREST = 3;

/** Merged answers with their confidence. */
export interface JudgedAnswers {
  /** Best first; the nearest passages come from them if there is no answer. */
  spans: readonly FoundSpan[];
  merged: readonly MergedAnswer[];
  /** One per merged answer; undefined without a calibration. */
  confidence: number[] | undefined;
  /** Features of the first answer, if they were asked for. */
  features?: Features;
}

interface AnswerRequest {
  question: PreparedQuestion;
  topK: number;
  kind: AskResult["kind"];
  explain: AnswerOptions["explain"];
  /** The first answer's confidence must reach it. */
  minConfidence: number;
  signal?: AbortSignal;
}

type Answered = Pick<AskResult, "answers" | "noAnswer" | "nearestPassages">;

/** A confidence per answer, and the first answer's features if they are wanted. */
export function judge(
  calibration: Calibration | undefined,
  features: () => Features[],
  wantsFeatures: boolean,
): Pick<JudgedAnswers, "confidence" | "features"> {
  if (calibration === undefined && !wantsFeatures) return { confidence: undefined };
  const all = features();
  const confidence = calibration === undefined ? undefined : confidences(calibration, all);
  return { confidence, ...(wantsFeatures && all[0] !== undefined ? { features: all[0] } : {}) };
}

export async function toAnswers(searcher: Searcher, judged: JudgedAnswers, request: AnswerRequest): Promise<Answered> {
  const { merged, confidence, spans } = judged;
  const { topK, kind, explain, minConfidence, signal, question } = request;
  const first = confidence?.[0];
  if (first !== undefined && first < minConfidence) {
    const nearestPassages = await nearestTo(searcher, spans, { question, signal });
    return { answers: [], noAnswer: { confidence: first, minConfidence }, nearestPassages };
  }
  const asked = kind === "sentences" ? undefined : question.encoded.text;
  const answers: Answer[] = [];
  for (const entry of await listEntries(searcher, merged, { question: asked, confidence, topK, signal })) {
    answers.push(await toAnswer(searcher, entry.merged, { question, explain, entry, signal }));
  }
  return { answers };
}

/** The whole passages of the best spans, each with its best span's score. */
async function nearestTo(
  searcher: Searcher,
  spans: readonly FoundSpan[],
  options: { question: PreparedQuestion; signal: AbortSignal | undefined },
): Promise<Answer[]> {
  const { question, signal } = options;
  const whole = [...bestOfPassages(spans).values()].slice(0, MAX_NEAREST).map((span) => ({
    ...span,
    startPosition: span.firstToken,
    endPosition: span.ids.length - 2,
  }));
  const located = await new Locator(searcher, signal).locate(whole);
  const nearest: Answer[] = [];
  for (const best of located) {
    nearest.push(await toAnswer(searcher, { best, evidence: [] }, { question, signal }));
  }
  return nearest;
}
