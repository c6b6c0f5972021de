/** "Here is a question: how well do its terms and n-grams match every passage?" SPARTA's sum, with no network, and DrQA's tf-idf. */

import type { EncodedQuestion, ModelInfo, TermWeights } from "../encode/types.js";
import { throwIfAborted } from "../errors.js";
import { ngramCounts } from "../text/words.js";
import type { AllPostings, PostingsKind } from "./postings.js";
import type { SearchSession } from "./session.js";
import { scoreTfidf } from "./tfidf.js";

/**
 * Parts of the score that a whole passage has, λ applied: float [passages of all segments], numbered through. Values of deleted
 * passages mean nothing. The arrays are the session's: whoever has done with them gives them back with `session.scratch.give`.
 */
export interface SparseScores {
  /** λ_t · terms(p) */
  terms: Float64Array;
  /** λ_d · (tfidf(d) + tfidf(p)) */
  tfidf: Float64Array;
}

/**
 * Both sparse parts of every passage.
 *   terms(p) = Σ_t w_t · impact_t(p) / scales.term                                  (SPARTA Eq. 4: a question is its bare tokens)
 * with w_t the question's count × gain; where the unit is the sentence, the best sentence of the passage.
 * Postings that are not in memory are read all at once; they are added in the order of terms, so sums do not depend on timing.
 * O(postings of the question's terms and n-grams + passages)
 */
export async function scoreSparse(
  session: SearchSession,
  question: EncodedQuestion,
  options: { signal?: AbortSignal } = {},
): Promise<SparseScores> {
  const { signal } = options;
  const grams = [...ngramCounts(question.text)].sort((a, b) => a[0] - b[0]);
  const buckets = grams.map(([bucket]) => bucket);
  const [lists, documents, passages] = await Promise.all([
    postingsOf(session, "term", { keys: question.terms, signal }),
    postingsOf(session, "document", { keys: buckets, signal }),
    postingsOf(session, "passage", { keys: buckets, signal }),
  ]);
  throwIfAborted(signal);
  const questionGrams = grams.map(([, count], g) => ({ count, document: documents[g]!, passage: passages[g]! }));
  const tfidf = await scoreTfidf(session, questionGrams, { signal });
  return { terms: scoreTerms(session, question, lists), tfidf };
}

/** The postings of each key, in the order of the keys. */
export function postingsOf(
  session: SearchSession,
  kind: PostingsKind,
  options: { keys: ArrayLike<number>; signal: AbortSignal | undefined },
): AllPostings[] | Promise<AllPostings[]> {
  const { keys, signal } = options;
  const { postings } = session;
  const lists: Array<AllPostings | Promise<AllPostings>> = [];
  let missing = false;
  for (let n = 0; n < keys.length; n++) {
    const known = postings.known(kind, keys[n]!);
    missing ||= known === undefined;
    lists.push(known ?? postings.load(kind, keys[n]!, signal));
  }
  return missing ? Promise.all(lists) : (lists as AllPostings[]);
}

function scoreTerms(session: SearchSession, question: EncodedQuestion, lists: readonly AllPostings[]): Float64Array {
  const { model, scratch, numbering } = session;
  const perUnit = scratch.take(numbering.firstUnits.at(-1)!);
  for (const [n, { units, values }] of lists.entries()) {
    const weight = termWeight(model, question, n);
    for (let k = 0; k < units.length; k++) perUnit[units[k]!]! += weight * values[k]!;
  }
  const { unitPassages, passageDocuments } = numbering;
  if (unitPassages === undefined) return perUnit;
  const best = bestUnits(perUnit, unitPassages, scratch.take(passageDocuments.length));
  scratch.give(perUnit);
  return best;
}

const termWeight = (model: ModelInfo, question: EncodedQuestion, n: number): number =>
  (model.weights.terms * question.termWeights[n]!) / model.scales.term;

/** `terms` of a passage whose own weights are at hand: the same sum in the same order as from postings. */
export function scoreOwnTerms(model: ModelInfo, question: EncodedQuestion, units: readonly TermWeights[]): number {
  let best: number | undefined;
  for (const { terms, weights } of units) {
    let sum = 0;
    for (let n = 0, k = 0; n < question.terms.length; n++) {
      while (k < terms.length && terms[k]! < question.terms[n]!) k++; // both ascend
      if (terms[k] === question.terms[n]) sum += termWeight(model, question, n) * weights[k]!;
    }
    best = best === undefined ? sum : Math.max(best, sum);
  }
  return best ?? 0;
}

/** max over the units of every passage; 0 for a passage without units. */
function bestUnits(perUnit: Float64Array, unitPassages: Uint32Array, best: Float64Array): Float64Array {
  for (let unit = 0; unit < perUnit.length; unit++) {
    const passage = unitPassages[unit]!;
    const isFirst = unit === 0 || unitPassages[unit - 1] !== passage;
    if (isFirst || perUnit[unit]! > best[passage]!) best[passage] = perUnit[unit]!;
  }
  return best;
}
