/** "Here is a question: how well do its terms and n-grams match every passage?" SPARTA's sum, with no network, and DrQA's tf-idf. */

import type { EncodedQuestion } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import type { SegmentReader } from "../index/types.js";
import type { SearchSession } from "./session.js";
import { scoreTfidf } from "./tfidf.js";

/** Parts of the score that a whole passage has, λ applied: float [passageCount] each. Values of deleted passages mean nothing. */
export interface SparseScores {
  /** λ_t · terms(p) */
  terms: Float64Array;
  /** λ_d · (tfidf(d) + tfidf(p)) */
  tfidf: Float64Array;
}

/**
 * Both sparse parts of every passage, one entry a segment.
 *   terms(p) = Σ_t w_t · impact_t(p) / scales.term                                  (SPARTA Eq. 4: a question is its bare tokens)
 * with w_t the question's count × gain; where the unit is the sentence, the best sentence of the passage.
 * Postings are read for all terms at once and added in the order of terms, so sums do not depend on timing.
 * O(postings of the question's terms and n-grams + passages)
 */
export async function scoreSparse(
  session: SearchSession,
  question: EncodedQuestion,
  options: { signal?: AbortSignal } = {},
): Promise<SparseScores[]> {
  const { signal } = options;
  const tfidf = await scoreTfidf(session, question.text, { signal });
  const scores: SparseScores[] = [];
  for (const [number, segment] of session.snapshot.segments.entries()) {
    const terms = await scoreTerms(session, question, { number, segment, signal });
    throwIfAborted(signal);
    scores.push({ terms, tfidf: tfidf[number]! });
  }
  return scores;
}

interface SegmentTask {
  number: number;
  segment: SegmentReader;
  signal: AbortSignal | undefined;
}

async function scoreTerms(session: SearchSession, question: EncodedQuestion, task: SegmentTask): Promise<Float64Array> {
  const { number, segment, signal } = task;
  const { model } = session;
  const lists = await Promise.all(Array.from(question.terms, (term) => session.termPostings(number, term, signal)));
  const perUnit = new Float64Array(segment.termUnitPassages.length);
  for (const [n, { units, values }] of lists.entries()) {
    const weight = (model.weights.terms * question.termWeights[n]!) / model.scales.term;
    for (let k = 0; k < units.length; k++) perUnit[units[k]!]! += weight * values[k]!;
  }
  return segment.termUnit === "passage" ? perUnit : bestUnits(perUnit, segment);
}

/** max over the units of every passage; 0 for a passage without units. */
function bestUnits(perUnit: Float64Array, segment: SegmentReader): Float64Array {
  const best = new Float64Array(segment.passageCount);
  const passages = segment.termUnitPassages;
  for (let unit = 0; unit < perUnit.length; unit++) {
    const passage = passages[unit]!;
    const isFirst = unit === 0 || passages[unit - 1] !== passage;
    if (isFirst || perUnit[unit]! > best[passage]!) best[passage] = perUnit[unit]!;
  }
  return best;
}
