/** Measures of ranked documents against graded judgements, as in trec_eval, and its run files. */

/** A document in a ranked list. */
export interface Ranked {
  id: string;
  score: number;
}

/** Grade by document id; missing documents and grades of 0 or less are not relevant. */
type Grades = ReadonlyMap<string, number>;

/**
 * nDCG at k with linear gains (trec_eval's ndcg_cut):
 *   DCG = Σ_{r ≤ k} max(0, grade_r) / log2(r + 1), over that of the best order of all judged documents
 * @param ranking best first, each document once @returns 0 to 1; 0 if nothing is relevant
 */
export function ndcgAt(ranking: readonly Ranked[], grades: Grades, k: number): number {
  const gains = (list: readonly number[]): number =>
    list.slice(0, k).reduce((sum, grade, r) => sum + Math.max(0, grade) / Math.log2(r + 2), 0);
  const ideal = gains([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gains(ranking.slice(0, k).map(({ id }) => grades.get(id) ?? 0)) / ideal;
}

/** Share of the relevant documents among the first k. @returns 0 to 1; 0 if nothing is relevant */
export function recallAmong(ranking: readonly Ranked[], grades: Grades, k: number): number {
  const relevant = [...grades.values()].filter((grade) => grade > 0).length;
  return relevant === 0 ? 0 : ranking.slice(0, k).filter(({ id }) => (grades.get(id) ?? 0) > 0).length / relevant;
}

/** 1 / rank of the first relevant document, 0 if it is not among the first k. */
export function reciprocalRankAt(ranking: readonly Ranked[], grades: Grades, k: number): number {
  const at = ranking.slice(0, k).findIndex(({ id }) => (grades.get(id) ?? 0) > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

/** Smallest step between two scores of a run file, in units of the last printed digit. */
const DIGITS = 6;

/**
 * Lines `query Q0 document rank score tag` of one query. Tools break ties in different ways, so
 * printed scores are strictly decreasing: a tie is printed one unit of the last digit lower.
 * @param ranking best first
 */
export function runLines(query: string, ranking: readonly Ranked[], tag: string): string[] {
  const step = 10 ** -DIGITS;
  let last = Number.POSITIVE_INFINITY;
  return ranking.map(({ id, score }, n) => {
    const rounded = Math.round(score / step);
    last = Math.min(rounded, last - 1);
    return `${query} Q0 ${id} ${n + 1} ${(last * step).toFixed(DIGITS)} ${tag}`;
  });
}
