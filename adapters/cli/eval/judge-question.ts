/**
 * Asks a question of the whole index, or of an index with part of it hidden, so that answerable and
 * unanswerable questions are of the same kind. Without the question's own article no answer can be
 * right. Without its own passage few are, although much of the surrounding text looks plausible.
 */

import type { Index } from "../../../src/api/index-handle.js";
import type { AskOptions } from "../../../src/ask/options.js";
import type { AskResult } from "../../../src/ask/result.js";
import { metricOf } from "../../../src/evaluate/answer-metric.js";
import { isNamedDocument, type OpenQuestion } from "../../../src/evaluate/open-questions.js";

/**
 * Minimum F1 of a right answer: it shares most of its words with a gold answer. Exact match is
 * reported separately.
 */
export const RIGHT_F1 = 0.5;

/**
 * What is hidden from the question: nothing, its gold passages, or all documents of their article.
 */
export type HiddenPart = "nothing" | "passage" | "article";

export interface JudgedQuestion {
  /** True if nothing was hidden. */
  answerable: boolean;
  /** Confidence of the first answer, 0 to 1; undefined if there was no answer. */
  confidence: number | undefined;
  /**
   * True if the reader read passages for this question, so that the confidence and its threshold
   * are the reader's.
   */
  read: boolean;
  right: number;
  exactMatch: number;
  features: AskResult["features"];
  /** Questions of one article stay together in a cross-validation. */
  article: string;
}

/**
 * "Marle#3" → "Marle", "notes/may.md" → "notes/may.md"; undefined for a question that names neither a
 * gold passage nor a document.
 */
export function articleOf({ goldPassages, document }: OpenQuestion): string | undefined {
  const passage = goldPassages?.[0] ?? document;
  const hash = passage?.lastIndexOf("#") ?? -1;
  return hash < 0 ? passage : passage?.slice(0, hash);
}

/**
 * @param how.hidden with "article" no answer counts as right, so it is also the value for questions
 *   that nothing answers; with "passage" the gold answers decide
 */
export async function judgeQuestion(
  index: Index,
  question: OpenQuestion,
  how: { hidden: HiddenPart; options: AskOptions },
): Promise<JudgedQuestion> {
  const { hidden, options } = how;
  const askWithout = without(question, hidden);
  const advanced = { ...options.advanced, ...askWithout.advanced };
  const asked = { ...options, ...askWithout, advanced, topK: 1, minConfidence: 0 };
  const { answers, features, reading } = await index.ask(question.question, asked);
  const [first] = answers;
  const judged = first !== undefined && hidden !== "article";
  const { pattern, answers: golds, language = "en" } = question;
  const metric = metricOf(language);
  const exact = !judged
    ? 0
    : pattern === undefined
      ? metric.exactMatch(first.text, golds)
      : Number(pattern.matchesAnywhere(first.text));
  const near = judged && pattern === undefined ? Number(metric.f1(first.text, golds) >= RIGHT_F1) : exact;
  return {
    answerable: hidden === "nothing",
    confidence: first?.confidence,
    read: reading !== undefined,
    right: Math.max(exact, near),
    exactMatch: exact,
    features,
    article: articleOf(question) ?? "",
  };
}

function without(question: OpenQuestion, hidden: HiddenPart): AskOptions {
  const article = articleOf(question);
  if (hidden === "nothing" || article === undefined) return {};
  if (hidden === "article") {
    const isOther = (id: string): boolean => !id.startsWith(`${article}#`) && !isNamedDocument(id, article);
    return { filter: ({ id }) => isOther(id), advanced: { filterKey: `without ${article}` } };
  }
  const gold = question.goldPassages ?? [question.document!];
  const isOther = (id: string): boolean => !gold.some((one) => isNamedDocument(id, one));
  return { filter: ({ id }) => isOther(id), advanced: { filterKey: `without passage ${gold.join(" ")}` } };
}
