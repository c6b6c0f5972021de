/**
 * "How likely is this answer right?" A logistic model over a few figures of the search, fitted on held-out training articles
 * (scripts/calibrate.ts) and kept in the model's model.json. No figure has a negative weight: more of any never lowers the confidence.
 */

import type { Calibration } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import { normalForm } from "../search/locate/normal-form.js";
import type { FoundSpan } from "../search/spans.js";

/** Figures of one answer by name. */
export type Figures = Record<string, number>;

/** Figures look at so many of the best spans, however many answers are wanted: a confidence does not depend on `topK`. */
export const FIGURE_SPANS = 40;

/** Log-odds are cut off here: a share of 1 − 1e-4 says as much as can be believed. */
const LEAST_SHARE = 1e-4;

/** ln(p / (1 − p)), p kept 1e-4 from 0 and 1. */
export function logOdds(share: number): number {
  const p = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
  return Math.log(p / (1 - p));
}

/** @returns probability, 0 to 1 @throws VerbatimError `unsupported-format` if the model was calibrated on a figure that is not known here */
export function confidenceOf(calibration: Calibration, figures: Figures): number {
  let sum = calibration.intercept;
  for (const [name, { mean, scale, weight }] of Object.entries(calibration.figures)) {
    const value = figures[name];
    if (value === undefined) {
      throw new VerbatimError(
        "unsupported-format",
        `The model's calibration uses a figure "${name}" that is not known.`,
        {
          found: name,
          expected: Object.keys(figures).join(", "),
          hint: "Use a model of this version of Verbatim, or calibrate it again.",
        },
      );
    }
    sum += (weight * (value - mean)) / scale;
  }
  return 1 / (1 + Math.exp(-sum));
}

/**
 * Figures of every answer of phrase search:
 *   score, terms   as they rank            dense      dense and n-gram part together
 *   margin         score − the best score of any other answer (at most 20, and 20 where there is no other)
 *   share          log-odds of its part of Σ exp(score) over all answers, its other places included
 *   agreement      log(1 + other documents in which the same text is the best of its passage)
 * @param answers  all that the FIGURE_SPANS best spans give, or more
 * @param spans  all of the search, best first
 */
export function phraseFigures(answers: readonly MergedAnswer[], spans: readonly FoundSpan[]): Figures[] {
  const seen = answersAmong(answers, spans.slice(0, FIGURE_SPANS));
  const best = bestOfPassages(spans);
  const shares = sharesOf(seen, (span) => span.score);
  return answers.map((answer, n) => {
    const { span } = answer.best;
    const { dense, ngram, terms } = span.parts;
    return {
      score: span.score,
      dense: dense + ngram,
      terms,
      margin: marginOf(answers, n),
      share: logOdds(shares[n] ?? 0),
      agreement: seen[n] === undefined ? 0 : agreementOf(seen[n], best),
    };
  });
}

/** The same answers with only those places that are among the spans: a prefix of them. */
export function answersAmong(answers: readonly MergedAnswer[], spans: readonly FoundSpan[]): MergedAnswer[] {
  const among = new Set(spans);
  return answers
    .filter(({ best }) => among.has(best.span))
    .map(({ best, evidence }) => ({ best, evidence: evidence.filter(({ span }) => among.has(span)) }));
}

const NO_RIVAL = 20;

/** To the best other answer; negative for all but the first. */
export function marginOf(answers: readonly MergedAnswer[], n: number): number {
  const rival = answers[n === 0 ? 1 : 0];
  if (rival === undefined) return NO_RIVAL;
  return Math.max(-NO_RIVAL, Math.min(NO_RIVAL, answers[n]!.best.span.score - rival.best.span.score));
}

/** Parts of Σ exp(energy) over all places of all answers: they sum to 1. */
export function sharesOf(answers: readonly MergedAnswer[], energy: (span: FoundSpan) => number): number[] {
  const places = answers.map(({ best, evidence }) => [best, ...evidence].map(({ span }) => energy(span)));
  const peak = places.flat().reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const sums = places.map((list) => list.reduce((sum, value) => sum + Math.exp(value - peak), 0));
  const all = sums.reduce((sum, value) => sum + value, 0);
  return sums.map((sum) => sum / all);
}

const passageKey = ({ segment, passage }: { segment: number; passage: number }): string => `${segment}:${passage}`;

/** The best span of every passage. @param spans best first */
export function bestOfPassages(spans: readonly FoundSpan[]): Map<string, FoundSpan> {
  const best = new Map<string, FoundSpan>();
  for (const span of spans) {
    const key = passageKey(span);
    if (!best.has(key)) best.set(key, span);
  }
  return best;
}

/** log(1 + documents besides the answer's own in which the answer is what the passage says best). */
export function agreementOf(answer: MergedAnswer, best: ReadonlyMap<string, FoundSpan>): number {
  const own = answer.best.record.id;
  const others = new Set(
    answer.evidence
      .filter(({ span }) => {
        const top = best.get(passageKey(span));
        return top !== undefined && top.startPosition === span.startPosition && top.endPosition === span.endPosition;
      })
      .map(({ record }) => record.id)
      .filter((id) => id !== own),
  );
  return Math.log1p(others.size);
}

/** What the reader knows of a span. */
export interface ReadFacts {
  logit: number;
  answer: number;
}

/**
 * Figures of every answer of the reader:
 *   logit, passage   span logit; answer logit of its passage       score     mixed
 *   margin           as above, of mixed scores
 *   probability      log-odds of P(span) over all spans of all passages read, its other places included
 *   agreement        as above
 *   phrase           log-odds of phrase search's confidence in the same text, if it is among its answers, else of 0
 */
export function readerFigures(
  answers: readonly MergedAnswer[],
  spans: readonly FoundSpan[],
  known: { facts: (span: FoundSpan) => ReadFacts; logMass: number; phrase: ReadonlyMap<string, number> },
): Figures[] {
  const { facts, logMass, phrase } = known;
  const seen = answersAmong(answers, spans.slice(0, FIGURE_SPANS));
  const best = bestOfPassages(spans);
  const probability = (span: FoundSpan): number => Math.exp(facts(span).logit - logMass);
  return answers.map((answer, n) => {
    const { span, text } = answer.best;
    const { logit, answer: passage } = facts(span);
    const places = [answer.best, ...(seen[n]?.evidence ?? [])];
    return {
      logit,
      passage,
      score: span.score,
      margin: marginOf(answers, n),
      probability: logOdds(places.reduce((sum, at) => sum + probability(at.span), 0)),
      agreement: seen[n] === undefined ? 0 : agreementOf(seen[n], best),
      phrase: logOdds(phrase.get(normalForm(text)) ?? 0),
    };
  });
}

/**
 * Confidences of a list of answers that exclude each other: none is above the one before it, and the others share what the first one leaves.
 */
export function confidences(calibration: Calibration, figures: readonly Figures[]): number[] {
  let before = 1;
  let left = 1;
  return figures.map((one, n) => {
    const confidence = Math.min(confidenceOf(calibration, one), before, left);
    before = confidence;
    if (n === 0) left = 1 - confidence;
    return confidence;
  });
}
