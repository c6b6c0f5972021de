/** From spans to answers with their confidence, or to no answer and the passages that come nearest. */

import type { Calibration } from "../encode/types.js";
import { toAnswer } from "../search/locate/answer.js";
import { Locator } from "../search/locate/locate.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import type { PreparedQuestion } from "../search/prepare.js";
import type { SearchSession } from "../search/session.js";
import type { FoundSpan } from "../search/spans.js";
import type { Answer } from "../search/types.js";
import { bestOfPassages, confidences, type Figures } from "./confidence.js";

/** Passages that are shown in place of an answer. */
const NEAREST = 3;

export interface Candidates {
  /** Best first: the passages that are shown in place of an answer come from them. */
  spans: readonly FoundSpan[];
  merged: readonly MergedAnswer[];
  /** Of every merged answer; undefined without a calibration. */
  confidence: number[] | undefined;
  /** Of the first answer, where they were asked for. */
  figures: Figures | undefined;
}

export interface AnswerRequest {
  question: PreparedQuestion;
  topK: number;
  explain: boolean;
  /** n-grams are told of answers whose score they made. */
  ngrams: boolean;
  /** The first answer's confidence must reach it. */
  minConfidence: number;
  signal?: AbortSignal;
}

export interface Answered {
  answers: Answer[];
  declined?: { confidence: number; minConfidence: number };
  nearest?: Answer[];
}

/** As many confidences as answers, and the first one's figures if they are wanted. */
export function judge(
  calibration: Calibration | undefined,
  figures: () => Figures[],
  wanted: boolean,
): Pick<Candidates, "confidence" | "figures"> {
  if (calibration === undefined && !wanted) return { confidence: undefined, figures: undefined };
  const all = figures();
  const confidence = calibration === undefined ? undefined : confidences(calibration, all);
  return { confidence, figures: wanted ? all[0] : undefined };
}

export async function toAnswers(session: SearchSession, found: Candidates, request: AnswerRequest): Promise<Answered> {
  const { merged, confidence, spans } = found;
  const { topK, explain, ngrams, minConfidence, signal, question } = request;
  const first = confidence?.[0];
  if (first !== undefined && first < minConfidence) {
    const nearest = await nearestPassages(session, spans, { question, signal });
    return { answers: [], declined: { confidence: first, minConfidence }, nearest };
  }
  const answers: Answer[] = [];
  for (const [n, one] of merged.slice(0, topK).entries()) {
    const answer = await toAnswer(session, one, { question, explain: explain && ngrams, signal });
    if (explain) answer.parts = one.best.span.parts;
    if (confidence !== undefined) answer.confidence = confidence[n]!;
    answers.push(answer);
  }
  return { answers };
}

/** The passages of the best spans, each whole: its text, from the first token to the last, its place, and its best span's score. */
async function nearestPassages(
  session: SearchSession,
  spans: readonly FoundSpan[],
  options: { question: PreparedQuestion; signal: AbortSignal | undefined },
): Promise<Answer[]> {
  const { question, signal } = options;
  const whole = [...bestOfPassages(spans).values()].slice(0, NEAREST).map((span) => ({
    ...span,
    startPosition: span.firstToken,
    endPosition: span.ids.length - 2,
  }));
  const located = await new Locator(session, signal).locate(whole);
  const nearest: Answer[] = [];
  for (const best of located) {
    nearest.push(await toAnswer(session, { best, evidence: [] }, { question, explain: false, signal }));
  }
  return nearest;
}
