/** The passages that SPARTA's term postings alone speak for: the first half of its reader pipeline. No span of them is scored. */

import type { EncodedQuestion } from "../../encode/types.js";
import { throwIfAborted, VerbatimError } from "../../errors.js";
import { resolveOptions } from "../options.js";
import { prepareQuestion } from "../prepare.js";
import { scoredPassages } from "../score/score-candidates.js";
import { SparseQuestion } from "../score/sparse.js";
import { allowedPassages, type Found } from "../search.js";
import type { SearchSession } from "../session.js";
import type { SearchOptions } from "../types.js";

/**
 * The best allowed passages by λ_t · terms, as many as options.rankedPassages or `least`; a passage without a term of the question is none.
 * @throws as `findSpans`
 */
export async function findTermsFirst(
  session: SearchSession,
  question: EncodedQuestion,
  request: { options: Partial<SearchOptions>; least: number },
): Promise<Found> {
  const options = resolveOptions(request.options);
  const { signal } = options;
  throwIfAborted(signal);
  if (session.levels.includes("lexical")) {
    throw new VerbatimError(
      "invalid-argument",
      "sparta-reader looks for term postings, and segments of level lexical have none.",
      {
        hint: "Ask without --strategy, or run: verbatim upgrade --level thin",
      },
    );
  }
  const started = session.now();
  const prepared = prepareQuestion(question, session);
  const allowed = await allowedPassages(session, options);
  const sparse = await SparseQuestion.read(session, question, { parts: "terms", signal });
  const count = Math.max(request.least, options.rankedPassages);
  const best = sparse.best(count, (number) => allowed.has(number));
  sparse.release();
  const passages = scoredPassages(session.numbering, best);
  const ended = session.now();
  const steps = { encode: 0, terms: ended - started, dense: 0, read: 0, score: 0, text: 0 };
  const scored = { settled: false, scored: 0, unstored: 0 };
  return { prepared, spans: [], passages, options, ...scored, steps, started, ended };
}
