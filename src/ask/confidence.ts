/**
 * The probability that an answer is right: a logistic model over a few features of the search. It
 * is fitted on development questions (scripts/calibrate.ts) and stored in the model's model.json.
 * No feature has a negative weight, so a larger feature never lowers the confidence.
 */

import type { Calibration } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { LocatedSpan } from "../search/locate/locate.js";
import type { MergedAnswer } from "../search/locate/merge.js";
import { normalForm } from "../search/locate/normal-form.js";
import type { FoundSpan } from "../search/spans.js";

/** The features of one answer by name. */
export type Features = Record<string, number>;

/**
 * Number of best spans that features are computed from, whatever `topK` is: a confidence does not
 * depend on it. Spans that score as the last of them count too.
 */
export const FEATURE_SPANS = 40;

/** Shares are clipped to [MIN_SHARE, 1 − MIN_SHARE], so that log-odds stay finite. */
const MIN_SHARE = 1e-4;

/** ln(p / (1 − p)) of the clipped share. */
function logOdds(share: number): number {
  const p = Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share));
  return Math.log(p / (1 - p));
}

/**
 * @returns a probability, 0 to 1
 * @throws VerbatimError `unsupported-format` if the model uses an unknown feature
 */
export function confidenceOf(calibration: Calibration, features: Features): number {
  let sum = calibration.intercept;
  for (const [name, { mean, scale, weight }] of Object.entries(calibration.features)) {
    const value = features[name];
    if (value === undefined) {
      throw new VerbatimError("unsupported-format", `The model's calibration uses an unknown feature "${name}".`, {
        found: name,
        expected: Object.keys(features).join(", "),
        hint: "Use a model of this version of Verbatim, or calibrate it again.",
      });
    }
    sum += (weight * (value - mean)) / scale;
  }
  return 1 / (1 + Math.exp(-sum));
}

/**
 * The features of each answer of phrase search:
 *   score, terms   as they rank            dense      dense and n-gram part together
 *   margin         score − the best score of any other answer, at most 20; 20 without another answer
 *   share          log-odds of the answer's part of Σ exp(score) over all answers, all its places included
 *   agreement      log(1 + other documents in which the same text is the best of its passage)
 * @param answers  at least all that the FEATURE_SPANS best spans give
 * @param spans  all of the search, best first
 */
export function phraseFeatures(answers: readonly MergedAnswer[], spans: readonly FoundSpan[]): Features[] {
  const seen = placesAmong(answers, featureSpans(spans));
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
      share: logOdds(shares[n]!),
      agreement: agreementOf(answer, seen[n]!, best),
    };
  });
}

/** The best FEATURE_SPANS spans, and those that score as the last of them. */
function featureSpans(spans: readonly FoundSpan[]): readonly FoundSpan[] {
  let end = Math.min(FEATURE_SPANS, spans.length);
  while (end > 0 && end < spans.length && spans[end]!.score === spans[end - 1]!.score) end++;
  return spans.slice(0, end);
}

/** The places of each answer that are among the spans. */
function placesAmong(answers: readonly MergedAnswer[], spans: readonly FoundSpan[]): LocatedSpan[][] {
  const among = new Set(spans);
  return answers.map(({ best, evidence }) => [best, ...evidence].filter(({ span }) => among.has(span)));
}

const NO_RIVAL = 20;

/** The distance to the best other answer; negative for all but the first. */
function marginOf(answers: readonly MergedAnswer[], n: number): number {
  const rival = answers[n === 0 ? 1 : 0];
  if (rival === undefined) return NO_RIVAL;
  return Math.max(-NO_RIVAL, Math.min(NO_RIVAL, answers[n]!.best.span.score - rival.best.span.score));
}

/** Each answer's part of Σ exp(energy) over all places of all answers; the parts sum to 1. */
function sharesOf(places: readonly LocatedSpan[][], energy: (span: FoundSpan) => number): number[] {
  const energies = places.map((list) => list.map(({ span }) => energy(span)));
  const peak = energies.flat().reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const sums = energies.map((list) => list.reduce((sum, value) => sum + Math.exp(value - peak), 0));
  const all = sums.reduce((sum, value) => sum + value, 0);
  return sums.map((sum) => (all === 0 ? 0 : sum / all));
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

/**
 * log(1 + other documents in which the answer is the best span of its passage).
 * @param places  those of the answer that count
 * @param best  of each passage
 */
function agreementOf(
  answer: MergedAnswer,
  places: readonly LocatedSpan[],
  best: ReadonlyMap<string, FoundSpan>,
): number {
  const own = answer.best.record.id;
  const others = new Set(
    places
      .filter(({ span }) => {
        const top = best.get(passageKey(span));
        return top !== undefined && top.startPosition === span.startPosition && top.endPosition === span.endPosition;
      })
      .map(({ record }) => record.id)
      .filter((id) => id !== own),
  );
  return Math.log1p(others.size);
}

/** The reader's logits of a span and its passage. */
interface ReadFacts {
  logit: number;
  answer: number;
}

/**
 * The features of each answer of the reader:
 *   logit, passage   span logit; answer logit of its passage       score     interpolated
 *   margin           as above, of interpolated scores
 *   probability      log-odds of P(span) over all spans of all passages read, all its places included
 *   agreement        as above
 *   phrase           log-odds of phrase search's confidence in the same text, or of 0 if it has none
 */
export function readerFeatures(
  answers: readonly MergedAnswer[],
  spans: readonly FoundSpan[],
  known: { facts: (span: FoundSpan) => ReadFacts; logMass: number; phrase: ReadonlyMap<string, number> },
): Features[] {
  const { facts, logMass, phrase } = known;
  const seen = placesAmong(answers, featureSpans(spans));
  const best = bestOfPassages(spans);
  const probability = (span: FoundSpan): number => Math.exp(facts(span).logit - logMass);
  return answers.map((answer, n) => {
    const { span, text } = answer.best;
    const { logit, answer: passage } = facts(span);
    const places = [...new Set([answer.best, ...seen[n]!])];
    return {
      logit,
      passage,
      score: span.score,
      margin: marginOf(answers, n),
      probability: logOdds(places.reduce((sum, at) => sum + probability(at.span), 0)),
      agreement: agreementOf(answer, seen[n]!, best),
      phrase: logOdds(phrase.get(normalForm(text)) ?? 0),
    };
  });
}

/** The confidences of answers that exclude each other. */
export function confidences(calibration: Calibration, features: readonly Features[]): number[] {
  return clipConfidences(features.map((one) => confidenceOf(calibration, one)));
}

/** Lowers confidences so that none is above the one before it, or above what the first one leaves. */
export function clipConfidences(values: readonly number[]): number[] {
  let previous = 1;
  let rest = 1;
  return values.map((value, n) => {
    const confidence = Math.min(value, previous, rest);
    previous = confidence;
    if (n === 0) rest = 1 - confidence;
    return confidence;
  });
}
