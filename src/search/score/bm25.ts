/** BM25 of passages, from the postings of tf-idf: it ranks passages without a network. */

import { idf, lengthNorm } from "../../text/bm25.js";
import { searchWords } from "../../text/search-words.js";
import type { Searcher } from "../searcher.js";

/** A word of the question with its count and its idf. */
export interface QuestionWord {
  bucket: number;
  count: number;
  idf: number;
}

export interface Bm25Scores {
  /**
   * Scores of all passages by global number, in an array from the searcher's pool. Values of deleted passages are
   * undefined.
   */
  scores: Float64Array;
  words: QuestionWord[];
}

/**
 * Scores all passages:
 *   bm25(q, p) = Σ_{w ∈ q} count_q(w) · idf(w) · tf / (tf + k1 · (1 − b + b · |p| / avg|p|))
 * over the question's words without stop words, by their buckets (pairs of characters in scripts
 * without spaces). |p| counts the encoder's input tokens; idf and the mean are over live passages.
 * O(postings of the question's words)
 * @throws VerbatimError `aborted`, `corrupt-segment`
 */
export async function scoreBm25(
  searcher: Searcher,
  question: string,
  options: { signal?: AbortSignal } = {},
): Promise<Bm25Scores> {
  const counts = new Map<number, number>();
  for (const { bucket } of searchWords(question)) {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const buckets = [...counts.keys()].sort((a, b) => a - b);
  const lists = await searcher.postings.tfidf(buckets, options.signal);
  const { tokens, mean } = searcher.passageLengths;
  const scores = searcher.scratch.take(tokens.length);
  const total = searcher.snapshot.passageCount;
  const asked = buckets.map((bucket, n): QuestionWord => {
    const { units, values, live } = lists[n]!.passage;
    const count = counts.get(bucket)!;
    const weight = count * idf(total, live);
    for (let k = 0; k < units.length; k++) {
      const unit = units[k]!;
      const frequency = values[k]!;
      scores[unit]! += (weight * frequency) / (frequency + lengthNorm(tokens[unit]!, mean));
    }
    return { bucket, count, idf: weight / count };
  });
  return { scores, words: asked };
}

/** How much of the question a text contains, each word once: Σ idf of the words that it has. */
export function questionCoverage(text: string, asked: readonly QuestionWord[]): number {
  const said = new Set<number>();
  for (const { bucket } of searchWords(text, { parts: true })) said.add(bucket);
  return asked.reduce((sum, { bucket, idf }) => sum + (said.has(bucket) ? idf : 0), 0);
}
