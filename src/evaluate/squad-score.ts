import { type AnswerMetric, metricOf } from "./answer-metric.js";
import type { SquadVersion } from "./f1.js";

export interface GoldQuestion {
  id: string;
  /** Gold answers; empty for an unanswerable question (v2.0). */
  answers: readonly string[];
}

export interface SquadScore {
  /** Means in percent, 0 to 100; 0 when nothing was scored. */
  exactMatch: number;
  f1: number;
  /** Questions that the means are over. */
  questions: number;
  /** Ids without a prediction: scored 0 in v1.1, left out in v2.0. */
  missing: string[];
  /**
   * Per question in order, 0 or 1 and 0 to 1, for intervals and paired tests; without the left out.
   */
  perQuestion: { id: string; exactMatch: number; f1: number }[];
}

/**
 * EM and F1 as the official scripts of the language's data sets give them (answer-metric.ts). In v2.0 golds that
 * normalise to nothing are dropped, and a question that has none left expects the empty string.
 */
export function scoreSquad(
  questions: Iterable<GoldQuestion>,
  predictions: ReadonlyMap<string, string>,
  { version = "1.1", language = "en" }: { version?: SquadVersion; language?: string } = {},
): SquadScore {
  const metric: AnswerMetric = metricOf(language, version);
  const missing: string[] = [];
  const perQuestion: SquadScore["perQuestion"] = [];
  for (const { id, answers } of questions) {
    const prediction = predictions.get(id);
    if (prediction === undefined) {
      missing.push(id);
      if (version === "1.1") perQuestion.push({ id, exactMatch: 0, f1: 0 });
      continue;
    }
    const golds = version === "1.1" ? answers : answersOrNone(answers, metric);
    perQuestion.push({ id, exactMatch: metric.exactMatch(prediction, golds), f1: metric.f1(prediction, golds) });
  }
  const percent = (key: "exactMatch" | "f1"): number =>
    perQuestion.length === 0 ? 0 : (100 * perQuestion.reduce((sum, one) => sum + one[key], 0)) / perQuestion.length;
  return { exactMatch: percent("exactMatch"), f1: percent("f1"), questions: perQuestion.length, missing, perQuestion };
}

function answersOrNone(answers: readonly string[], { isEmpty }: AnswerMetric): string[] {
  const golds = answers.filter((answer) => !isEmpty(answer));
  return golds.length > 0 ? golds : [""];
}
