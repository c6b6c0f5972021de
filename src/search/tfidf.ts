/** DrQA's 2-gram tf-idf of documents and passages, with an idf that never vanishes. */

import { throwIfAborted } from "../errors.js";
import type { Postings, SegmentReader, TfidfKind } from "../index/types.js";
import { ngramCounts } from "../text/words.js";
import type { SearchSession } from "./session.js";

/** log(1 + count) of a capped count. */
const LOG_COUNTS = Float64Array.from({ length: 256 }, (_, count) => Math.log(1 + count));

/**
 * λ_d · (tfidf(d) + tfidf(p)) of every passage p of a document d, one array [passageCount] a segment:
 *   tfidf(u) = Σ_g wq(g) · log(1 + tf_u(g)) · idf(g) / (|u| · |wq|)
 *   wq(g)    = log(1 + tf_q(g)) · idf(g),   |wq| = sqrt(Σ_g wq(g)²)
 *   idf(g)   = log(1 + (N − n + 0.5) / (n + 0.5))
 * N units, n of them with g: live documents (or passages) of *all* segments, so a score does not depend on how the index is cut into
 * segments. |u| = sqrt(Σ log(1 + tf)²) is the unit's static norm (no idf: it never changes with the collection).
 * DrQA's idf log((N − n + 0.5) / (n + 0.5)) is ≤ 0 for what is in over half of the documents and is clipped there, so a corpus on one
 * subject finds nothing; the 1 + keeps every idf above 0 and the order the same.
 */
export async function scoreTfidf(
  session: SearchSession,
  question: string,
  options: { signal?: AbortSignal } = {},
): Promise<Float64Array[]> {
  const { signal } = options;
  const { snapshot, model } = session;
  const grams = [...ngramCounts(question)].sort((a, b) => a[0] - b[0]);
  const scores = snapshot.segments.map((segment) => new Float64Array(segment.passageCount));
  if (grams.length === 0 || model.weights.tfidf === 0) return scores;
  for (const kind of ["document", "passage"] as const) {
    const unitScores = await scoreUnits(session, grams, { kind, signal });
    for (const [number, segment] of snapshot.segments.entries()) {
      const norms = await session.tfidfNorms(number, kind, signal);
      const units = unitScores[number]!;
      const segmentScores = scores[number]!;
      for (let p = 0; p < segmentScores.length; p++) {
        const unit = kind === "document" ? segment.passageDocuments[p]! : p;
        if (units[unit]! > 0) segmentScores[p]! += (model.weights.tfidf * units[unit]!) / norms[unit]!;
      }
    }
  }
  return scores;
}

/** Σ_g wq(g) · log(1 + tf_u(g)) · idf(g) / |wq| of every unit, without the unit's norm. */
async function scoreUnits(
  session: SearchSession,
  grams: Array<[bucket: number, count: number]>,
  options: { kind: TfidfKind; signal: AbortSignal | undefined },
): Promise<Float64Array[]> {
  const { kind, signal } = options;
  const { segments, documentCount, passageCount } = session.snapshot;
  const total = kind === "document" ? documentCount : passageCount;
  const lists = await Promise.all(
    segments.map((_, number) =>
      Promise.all(grams.map(([bucket]) => session.tfidfPostings(number, { kind, bucket }, signal))),
    ),
  );
  throwIfAborted(signal);
  const sums = segments.map((s) => new Float64Array(kind === "document" ? s.documentCount : s.passageCount));
  let squares = 0;
  for (const [g, [, count]] of grams.entries()) {
    const withGram = segments.reduce((n, segment, number) => n + liveUnits(segment, lists[number]![g]!, kind), 0);
    const idf = Math.log(1 + (total - withGram + 0.5) / (withGram + 0.5));
    const questionWeight = Math.log(1 + count) * idf;
    squares += questionWeight * questionWeight;
    for (const [number, sum] of sums.entries()) {
      const { units, values } = lists[number]![g]!;
      const weight = questionWeight * idf;
      for (let k = 0; k < units.length; k++) sum[units[k]!]! += weight * LOG_COUNTS[values[k]!]!;
    }
  }
  const norm = Math.sqrt(squares);
  for (const sum of sums) for (let unit = 0; unit < sum.length; unit++) sum[unit]! /= norm;
  return sums;
}

function liveUnits(segment: SegmentReader, { units }: Postings, kind: TfidfKind): number {
  if (segment.deletedDocumentCount === 0) return units.length;
  let live = 0;
  for (const unit of units) {
    if (!segment.isDeleted(kind === "document" ? unit : segment.passageDocuments[unit]!)) live++;
  }
  return live;
}
