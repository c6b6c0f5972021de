/**
 * Questions asked of the whole index and of less than that, so that answerable and unanswerable ones are of the same kind: without their own
 * article nothing can be right; without their own passage little is, though everything around it sounds right.
 */

import type { AskOptions, Index } from "../../../src/api/open-index.js";
import type { AskResult } from "../../../src/ask/ask.js";
import { exactMatch } from "../../../src/evaluate/exact-match.js";
import { f1 } from "../../../src/evaluate/f1.js";
import type { OpenQuestion } from "../../../src/evaluate/open-questions.js";

/** An answer counts as right from here on: it shares most of its words with a gold answer. Exact match is told beside. */
export const RIGHT_F1 = 0.5;

/** What of the index is left out: nothing, the gold passages, or everything of their article. */
export type Away = "nothing" | "passage" | "article";

export interface Doubt {
  /** It was asked of everything. */
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

/** @param how.away  "article" also for a question that nothing answers: then no answer is right. With "passage" the golds decide. */
export async function doubtOf(
  index: Index,
  question: OpenQuestion,
  how: { away: Away; options: AskOptions },
): Promise<Doubt> {
  const { away, options } = how;
  const asked = { ...options, ...without(question, away), topK: 1, minConfidence: 0 };
  const { answers, figures } = await index.ask(question.question, asked);
  const [first] = answers;
  const judged = first !== undefined && away !== "article";
  const { pattern, answers: golds } = question;
  const exact = !judged
    ? 0
    : pattern === undefined
      ? exactMatch(first.text, golds)
      : Number(pattern.matchesAnywhere(first.text));
  const near = judged && pattern === undefined ? Number(f1(first.text, golds) >= RIGHT_F1) : exact;
  return {
    answerable: away === "nothing",
    confidence: first?.confidence,
    right: Math.max(exact, near),
    exactMatch: exact,
    figures,
    article: articleOf(question) ?? "",
  };
}

function without(question: OpenQuestion, away: Away): Pick<AskOptions, "filter" | "filterKey"> {
  const article = articleOf(question);
  if (away === "nothing" || article === undefined) return {};
  if (away === "article") {
    return { filter: ({ id }) => !id.startsWith(`${article}#`), filterKey: `without ${article}` };
  }
  const gold = new Set(question.goldPassages);
  return { filter: ({ id }) => !gold.has(id), filterKey: `without ${[...gold].join(" ")}` };
}
