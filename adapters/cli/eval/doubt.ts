/** Questions asked twice, of the whole index and of everything but their own article: answerable and unanswerable ones of the same kind. */

import type { AskOptions, Index } from "../../../src/engine.js";
import { exactMatch } from "../../../src/evaluate/exact-match.js";
import { f1 } from "../../../src/evaluate/f1.js";
import type { OpenQuestion } from "../../../src/evaluate/open-questions.js";
import type { AskResult } from "../../../src/read/ask.js";

/** An answer counts as right from here on: it shares most of its words with a gold answer. Exact match is told beside. */
export const RIGHT_F1 = 0.5;

export interface Doubt {
  answerable: boolean;
  /** Undefined where there was no answer at all. */
  confidence: number | undefined;
  right: number;
  exactMatch: number;
  figures: AskResult["figures"];
  /** Group that a cross-validation keeps together. */
  article: string;
}

/** "Marle#3" → "Marle"; undefined for a question without a gold passage. */
export function articleOf({ goldPassages }: OpenQuestion): string | undefined {
  const [passage] = goldPassages ?? [];
  return passage?.slice(0, passage.lastIndexOf("#"));
}

export async function doubtOf(
  index: Index,
  question: OpenQuestion,
  how: { answerable: boolean; options: AskOptions },
): Promise<Doubt> {
  const { answerable, options } = how;
  const article = articleOf(question);
  const away = answerable || article === undefined ? {} : without(article);
  const { answers, figures } = await index.ask(question.question, { ...options, ...away, topK: 1, minConfidence: 0 });
  const [first] = answers;
  const judged = first !== undefined && answerable;
  const { pattern, answers: golds } = question;
  const exact = !judged
    ? 0
    : pattern === undefined
      ? exactMatch(first.text, golds)
      : Number(pattern.matchesAnywhere(first.text));
  const near = judged && pattern === undefined ? Number(f1(first.text, golds) >= RIGHT_F1) : exact;
  return {
    answerable,
    confidence: first?.confidence,
    right: Math.max(exact, near),
    exactMatch: exact,
    figures,
    article: article ?? "",
  };
}

function without(article: string): Pick<AskOptions, "filter" | "filterKey"> {
  return { filter: ({ id }) => !id.startsWith(`${article}#`), filterKey: `without ${article}` };
}
