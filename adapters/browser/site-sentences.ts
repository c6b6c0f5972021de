/** The first answers of a published site: the sentences nearest to a question. */

import { parseQuestion } from "../../src/ask/question-syntax.js";
import type { TermsFirst } from "../../src/publish/terms-first.js";
import { RestrictionMatcher } from "../../src/search/restriction/restriction-matcher.js";
import { type SiteResult, sentenceView } from "./answer-view.js";

/** Passages whose texts are fetched for a question's phrases before phrase search looks them up. */
const MAX_FIRST_PASSAGES = 40;

/**
 * @param options.isLast  no phrase search follows: then all passages are read, if the question's
 *   phrases need it
 */
export async function nearestSentences(
  terms: TermsFirst,
  question: string,
  options: { topK: number; isLast: boolean; signal: AbortSignal | undefined },
): Promise<SiteResult> {
  const began = performance.now();
  const { topK, isLast, signal } = options;
  const { text, restriction } = parseQuestion(question);
  const view = (about: Partial<SiteResult>, sentences: Awaited<ReturnType<TermsFirst["ask"]>>): SiteResult =>
    sentenceView({ question, ...about }, sentences, performance.now() - began);
  if (restriction === undefined) return view({}, await terms.ask(text, { topK, signal }));
  const test = new RestrictionMatcher(restriction);
  const accepts = (passage: string): boolean => test.accepts(passage);
  const limit = isLast ? {} : { maxPassages: MAX_FIRST_PASSAGES };
  const sentences = await terms.ask(text, { topK, accepts, ...limit, signal });
  if (sentences.length > 0 || !isLast) return view({ restriction }, sentences);
  const { phrases, excluded } = restriction;
  const missing = phrases.length === 1 && excluded.length === 0 ? phrases : [];
  return view({ restriction: { ...restriction, missing } }, sentences);
}
