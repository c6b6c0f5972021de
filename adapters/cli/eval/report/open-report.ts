/**
 * The report of `eval open`: exact match and F1 by strategy, times, reliability and the worst
 * questions.
 */

import { calibrationError, reliability } from "../../../../src/evaluate/calibration.js";
import { reportPage, type WorstQuestion } from "./page.js";
import { type Mark, marksPlot, reliabilityPlot, timesPlot } from "./plots.js";

/** One question in the report. */
export interface Judged extends WorstQuestion {
  /** 0 or 1. */
  exactMatch: number;
  ms: number;
}

/** The scores of a system in the report, 0 to 100, with their 95 % intervals. */
export interface SystemScores {
  exactMatch: number;
  exactMatchInterval: readonly [number, number];
  f1: number;
  f1Interval: readonly [number, number];
}

export interface JudgedSystem {
  name: string;
  summary: SystemScores;
  judged: readonly Judged[];
}

interface OpenReport {
  title: string;
  /** The systems, the measured one first. */
  systems: readonly JudgedSystem[];
  figures: object;
}

const WORST = 25;

export function openReport({ title, systems, figures }: OpenReport): string {
  const judged = systems[0]?.judged ?? [];
  const marks = systems.flatMap(({ name, summary }): Mark[] => [
    { name: `EM ${name}`, value: summary.exactMatch, interval: summary.exactMatchInterval },
    { name: `F1 ${name}`, value: summary.f1, interval: summary.f1Interval },
  ]);
  const times = systems.map((system) => ({ name: system.name, ms: system.judged.map(({ ms }) => ms) }));
  const plots = [
    marksPlot("Exact match and F1, with 95 % intervals", marks),
    timesPlot("Milliseconds per question (logarithmic)", times),
  ];
  if (judged.some(({ confidence }) => confidence !== undefined)) {
    const bins = reliability(
      judged.map(({ confidence }) => confidence ?? 0),
      judged.map(({ exactMatch }) => exactMatch),
    );
    plots.push(
      reliabilityPlot(`Reliability by exact match: calibration error ${calibrationError(bins).toFixed(3)}`, bins),
    );
  }
  return reportPage({ title, plots, figures, worst: worstOf(judged) });
}

/** Wrong answers, highest confidence first; without confidences, highest score first. */
export function worstOf<T extends Judged>(judged: readonly T[]): T[] {
  const confidenceOf = ({ confidence, score }: Judged): number => confidence ?? score;
  return judged
    .filter(({ exactMatch }) => exactMatch === 0)
    .sort((a, b) => confidenceOf(b) - confidenceOf(a))
    .slice(0, WORST);
}
