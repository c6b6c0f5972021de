/** Ranks begin at 1. NaN scores come last. */

const comparable = (score: number): number => (Number.isNaN(score) ? -Infinity : score);

/**
 * Rank of one candidate when ties share the mean of their ranks:
 *   1 + |{j : s_j > s_i}| + (|{j : s_j = s_i}| − 1) / 2
 * so that equal scores gain nothing from the order of the file. Source: ReQA's evaluation. O(n)
 */
export function averageRank(scores: ArrayLike<number>, candidate: number): number {
  const own = comparable(scores[candidate]!);
  let above = 0;
  let equal = 0;
  for (let j = 0; j < scores.length; j++) {
    const score = comparable(scores[j]!);
    if (score > own) above++;
    else if (score === own) equal++;
  }
  return 1 + above + (equal - 1) / 2;
}

/** The best average rank of several right candidates; undefined if there is none. O(n) */
export function bestRank(scores: ArrayLike<number>, right: Iterable<number>): number | undefined {
  let best: number | undefined;
  for (const candidate of right) {
    if (candidate >= scores.length) continue;
    if (best === undefined || comparable(scores[candidate]!) > comparable(scores[best]!)) best = candidate;
  }
  return best === undefined ? undefined : averageRank(scores, best);
}

/** 1 / rank; 0 if nothing right was found. */
export function reciprocalRank(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / rank;
}

/** 1 if the rank is k or better, else 0. */
export function recallAt(rank: number | undefined, k: number): number {
  return rank !== undefined && rank <= k ? 1 : 0;
}

interface RankingScore {
  /** Mean reciprocal rank, 0 to 1. */
  mrr: number;
  /** Share of the questions with a right candidate among the first k, by k. */
  recallAt: Record<number, number>;
}

/** Means over questions; `undefined` if nothing right was found. All 0 without questions. */
export function scoreRanks(ranks: readonly (number | undefined)[]): RankingScore {
  const mean = (value: (rank: number | undefined) => number): number =>
    ranks.length === 0 ? 0 : ranks.reduce<number>((sum, rank) => sum + value(rank), 0) / ranks.length;
  return {
    mrr: mean(reciprocalRank),
    recallAt: Object.fromEntries([1, 5, 10].map((k) => [k, mean((rank) => recallAt(rank, k))])),
  };
}
