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

export interface JudgedSystem {
  name: string;
  summary: Readonly<Record<string, unknown>>;
  judged: readonly Judged[];
}

interface OpenReport {
  title: string;
  /** The systems, the measured one first. */
  systems: readonly JudgedSystem[];
  figures: Readonly<Record<string, unknown>>;
}

const WORST = 25;

export function openReport({ title, systems, figures }: OpenReport): string {
  const judged = systems[0]?.judged ?? [];
  const marks = systems.flatMap(({ name, summary }): Mark[] => [
    { name: `EM ${name}`, value: Number(summary.exactMatch), interval: summary.exactMatchInterval as [number, number] },
    { name: `F1 ${name}`, value: Number(summary.f1), interval: summary.f1Interval as [number, number] },
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
  const sure = ({ confidence, score }: Judged): number => confidence ?? score;
  return judged
    .filter(({ exactMatch }) => exactMatch === 0)
    .sort((a, b) => sure(b) - sure(a))
    .slice(0, WORST);
}
