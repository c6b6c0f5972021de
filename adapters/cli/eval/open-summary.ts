/** The figures of `eval open` from the outcomes of its questions. */

import { bootstrapMean, type Interval } from "../../../src/evaluate/bootstrap.js";
import { percentile } from "../../../src/evaluate/percentile.js";
import type { Judged, SystemScores } from "./report/open-report.js";

const ANSWER_RANKS = [1, 3, 5, 20, 50] as const;
const SENTENCE_RANKS = [1, 3] as const;
const PASSAGE_RANKS = [1, 10, 20, 50] as const;

export interface Outcome extends Judged {
  /** CuratedTREC: the expression matches from the start of the answer, as in DrQA. */
  startAnchored: number | undefined;
  f1: number;
  /** 1-based rank of the first right answer; undefined if there is none. */
  answerRank: number | undefined;
  /** 1-based rank of the first answer from a right document whose shown sentence contains a gold answer. */
  sentenceRank: number | undefined;
  passageRank: number | undefined;
  hasGoldPassage: boolean;
  /** If the question names it. */
  language: string | undefined;
  /** Number of passages that the reader read. */
  read: number;
  /**
   * Number of passages encoded for this question because the index does not store their vectors.
   */
  encoded: number;
}

type AnswerRecall = Record<`answerRecallAt${(typeof ANSWER_RANKS)[number]}`, number>;
type SentenceRecall = Record<`sentenceRecallAt${(typeof SENTENCE_RANKS)[number]}`, number>;
type PassageRecall = Record<`passageRecallAt${(typeof PASSAGE_RANKS)[number]}`, number>;

/** The figures of one strategy. Recall and shares are 0 to 1, exact match and F1 0 to 100. */
export interface OpenSummary extends SystemScores, AnswerRecall, SentenceRecall, Partial<PassageRecall> {
  /** Only of questions with an expression; missing if there is none. */
  exactMatchStartAnchored?: number;
  /** Share of the questions for which the reader read; missing if it read nothing. */
  readShare?: number;
  /** Passages read per question; missing if the reader read nothing. */
  passagesRead?: number;
  /** Passages encoded per question; missing if none was. */
  passagesEncoded?: number;
  msMean: number;
  msP50: number;
  msP99: number;
}

/** Missing if no question names its language. */
export interface FiguresByLanguage {
  byLanguage?: Record<string, LanguageFigures>;
}

interface LanguageFigures
  extends Pick<OpenSummary, "exactMatch" | "f1" | "answerRecallAt3" | "sentenceRecallAt1" | "sentenceRecallAt3"> {
  questions: number;
}

export function percent({ mean, low, high }: Interval): [number, number] {
  return mean === undefined ? [0, 0] : [100 * low, 100 * high];
}

/** An entry for every rank: `{ answerRecallAt1: 0.4, answerRecallAt3: 0.6, … }`. */
function recalls<Name extends string, Rank extends number>(
  name: Name,
  ranks: readonly Rank[],
  recallAt: (rank: Rank) => number,
): Record<`${Name}RecallAt${Rank}`, number> {
  const entries = ranks.map((rank) => [`${name}RecallAt${rank}`, recallAt(rank)]);
  return Object.fromEntries(entries) as Record<`${Name}RecallAt${Rank}`, number>;
}

export function summarise(outcomes: readonly Outcome[], seed: number): OpenSummary {
  const em = outcomes.map((one) => one.exactMatch);
  const f1s = outcomes.map((one) => one.f1);
  const share = (values: readonly Outcome[], good: (one: Outcome) => boolean): number =>
    values.filter(good).length / Math.max(1, values.length);
  const withGold = outcomes.filter((one) => one.hasGoldPassage);
  const anchored = outcomes.filter((one) => one.startAnchored !== undefined);
  const times = Float64Array.from(outcomes, (one) => one.ms).sort();
  const emInterval = bootstrapMean(em, { seed });
  const f1Interval = bootstrapMean(f1s, { seed });
  const within = (rank: number | undefined, k: number): boolean => rank !== undefined && rank <= k;
  return {
    exactMatch: 100 * emInterval.mean,
    exactMatchInterval: percent(emInterval),
    f1: 100 * f1Interval.mean,
    f1Interval: percent(f1Interval),
    ...(anchored.length > 0
      ? { exactMatchStartAnchored: 100 * share(anchored, (one) => one.startAnchored === 1) }
      : {}),
    ...recalls("answer", ANSWER_RANKS, (k) => share(outcomes, (one) => within(one.answerRank, k))),
    ...recalls("sentence", SENTENCE_RANKS, (k) => share(outcomes, (one) => within(one.sentenceRank, k))),
    ...(withGold.length === 0
      ? {}
      : recalls("passage", PASSAGE_RANKS, (k) => share(withGold, (one) => within(one.passageRank, k)))),
    ...(outcomes.some(({ read }) => read > 0)
      ? {
          readShare: share(outcomes, ({ read }) => read > 0),
          passagesRead: outcomes.reduce((sum, { read }) => sum + read, 0) / outcomes.length,
        }
      : {}),
    ...(outcomes.some(({ encoded }) => encoded > 0)
      ? { passagesEncoded: outcomes.reduce((sum, { encoded }) => sum + encoded, 0) / outcomes.length }
      : {}),
    msMean: times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length),
    msP50: percentile(times, 0.5),
    msP99: percentile(times, 0.99),
  };
}

/** The main figures by language, if questions name theirs. */
export function byLanguage(outcomes: readonly Outcome[], seed: number): FiguresByLanguage {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    if (outcome.language === undefined) continue;
    groups.set(outcome.language, [...(groups.get(outcome.language) ?? []), outcome]);
  }
  if (groups.size === 0) return {};
  const figures = Array.from(groups, ([language, group]): [string, LanguageFigures] => {
    const { exactMatch, f1, answerRecallAt3, sentenceRecallAt1, sentenceRecallAt3 } = summarise(group, seed);
    const questions = group.length;
    return [language, { exactMatch, f1, answerRecallAt3, sentenceRecallAt1, sentenceRecallAt3, questions }];
  });
  return { byLanguage: Object.fromEntries(figures) };
}
