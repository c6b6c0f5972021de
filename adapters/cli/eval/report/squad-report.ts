/** The report of `eval squad`: exact match and F1 of every system, and all figures. */

import type { SquadScore } from "../../../../src/evaluate/squad-score.js";
import { reportPage } from "./page.js";
import { marksPlot } from "./plots.js";

export function squadReport(
  path: string,
  figures: object,
  systems: Readonly<Record<string, Pick<SquadScore, "exactMatch" | "f1">>>,
): string {
  const marks = Object.entries(systems).flatMap(([name, { exactMatch, f1 }]) => [
    { name: `EM ${name}`, value: exactMatch },
    { name: `F1 ${name}`, value: f1 },
  ]);
  const plots = [marksPlot("Gold paragraph given: exact match and F1", marks)];
  return reportPage({ title: `eval squad ${path}`, plots, figures, worst: [] });
}
