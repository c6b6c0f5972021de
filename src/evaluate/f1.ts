import { answerWords } from "./exact-match.js";

/**
 * The two official scripts differ if one side has no words: 1.1 gives 0; 2.0 gives 1 if both are
 * empty.
 */
export type SquadVersion = "1.1" | "2.0";

/**
 * Overlap of words, the best over the golds:
 *   precision = common / |prediction|,  recall = common / |gold|,  F1 = 2 · precision · recall / (precision + recall)
 * with `common` the size of the intersection as multisets. Source: SQuAD's evaluation scripts
 * (`f1_score`, `compute_f1`).
 * @returns 0 to 1; 0 without golds
 */
export function f1(prediction: string, golds: readonly string[], { version = "1.1" as SquadVersion } = {}): number {
  const predicted = answerWords(prediction);
  let best = 0;
  for (const gold of golds) best = Math.max(best, wordsF1(predicted, answerWords(gold), version));
  return best;
}

function wordsF1(predicted: readonly string[], gold: readonly string[], version: SquadVersion): number {
  if (version === "2.0" && predicted.length === 0 && gold.length === 0) return 1;
  return overlapF1(predicted, gold);
}

/** F1 of the words that two lists share, as multisets; 0 if they share none. */
export function overlapF1(predicted: readonly string[], gold: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of predicted) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      common++;
      left.set(word, count - 1);
    }
  }
  if (common === 0) return 0;
  const precision = common / predicted.length;
  const recall = common / gold.length;
  return (2 * precision * recall) / (precision + recall);
}
