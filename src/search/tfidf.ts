/** DrQA's 2-gram tf-idf of documents and passages, with an idf that never vanishes. */

import { throwIfAborted } from "../errors.js";
import type { TfidfKind } from "../index/types.js";
import type { AllPostings } from "./postings.js";
import type { SearchSession } from "./session.js";

/** log(1 + count) of a capped count. */
const LOG_COUNTS = Float64Array.from({ length: 256 }, (_, count) => Math.log(1 + count));

/** An n-gram of the question with its postings in documents and in passages. */
export interface QuestionGram {
  count: number;
  document: AllPostings;
  passage: AllPostings;
}

/**
 * λ_d · (tfidf(d) + tfidf(p)) of every passage p of a document d, passages numbered through all segments:
 *   tfidf(u) = Σ_g wq(g) · log(1 + tf_u(g)) · idf(g) / (|u| · |wq|)
 *   wq(g)    = log(1 + tf_q(g)) · idf(g),   |wq| = sqrt(Σ_g wq(g)²)
 *   idf(g)   = log(1 + (N − n + 0.5) / (n + 0.5))
 * N units, n of them with g: live documents (or passages) of *all* segments, so a score does not depend on how the index is cut into
 * segments, nor on a filter: what is asked for among a few documents has the weights of the whole index.
 * |u| = sqrt(Σ log(1 + tf)²) is the unit's static norm (no idf: it never changes with the collection).
 * DrQA's idf log((N − n + 0.5) / (n + 0.5)) is ≤ 0 for what is in over half of the documents and is clipped there, so a corpus on one
 * subject finds nothing; the 1 + keeps every idf above 0 and the order the same.
 * @param grams  ascending by bucket: sums are added in this order
 * @returns an array of the session's scratch
 */
export async function scoreTfidf(
  session: SearchSession,
  grams: readonly QuestionGram[],
  options: { signal?: AbortSignal } = {},
): Promise<Float64Array> {
  const { model, scratch, numbering } = session;
  const { passageDocuments } = numbering;
  const scores = scratch.take(passageDocuments.length);
  if (grams.length === 0 || model.weights.tfidf === 0) return scores;
  const documentNorms = await session.tfidfNorms("document");
  const passageNorms = await session.tfidfNorms("passage");
  throwIfAborted(options.signal);
  const documents = scoreUnits(session, grams, { kind: "document", norms: documentNorms });
  const passages = scoreUnits(session, grams, { kind: "passage", norms: passageNorms });
  for (let p = 0; p < scores.length; p++) scores[p] = documents[passageDocuments[p]!]! + passages[p]!;
  scratch.give(documents, passages);
  return scores;
}

/** λ_d · tfidf of every unit of a kind. */
function scoreUnits(
  session: SearchSession,
  grams: readonly QuestionGram[],
  options: { kind: TfidfKind; norms: Float32Array },
): Float64Array {
  const { kind, norms } = options;
  const { documentCount, passageCount } = session.snapshot;
  const total = kind === "document" ? documentCount : passageCount;
  const weight = session.model.weights.tfidf;
  const sums = session.scratch.take(norms.length);
  let squares = 0;
  for (const gram of grams) {
    const { units, values, live } = gram[kind];
    const idf = Math.log(1 + (total - live + 0.5) / (live + 0.5));
    const questionWeight = Math.log(1 + gram.count) * idf;
    squares += questionWeight * questionWeight;
    addPostings(sums, units, { values, weight: questionWeight * idf });
  }
  const norm = Math.sqrt(squares);
  for (let unit = 0; unit < sums.length; unit++) {
    const sum = sums[unit]!;
    if (sum > 0) sums[unit] = (weight * (sum / norm)) / norms[unit]!;
  }
  return sums;
}

function addPostings(sums: Float64Array, units: Uint32Array, list: { values: Uint8Array; weight: number }): void {
  const { values, weight } = list;
  for (let k = 0; k < units.length; k++) sums[units[k]!]! += weight * LOG_COUNTS[values[k]!]!;
}
