/** The plots of docs/results.md, by table. A table without an entry has no plot. */

import { bars, type PlotSpec } from "../support/plot-parts.js";
import type { TableResult } from "./types.js";

export const PAPER_PLOTS: Readonly<Record<string, (result: TableResult) => PlotSpec>> = {
  squad: ({ rows, peers }) => ({
    title: "SQuAD v1.1 dev, paragraph given",
    panels: [
      bars(
        [...rows, ...peers].flatMap(({ system, figures }) =>
          ["EM", "F1"].map((what) => ({ row: system, what, value: figures[what]?.value })),
        ),
        { value: "percent" },
      ),
    ],
  }),
};

/** What a plot was made from, shown under its title. */
export function plotSubtitle({ rows }: TableResult): string {
  const dates = [...new Set(rows.map(({ date }) => date))].join(", ");
  const sampled = rows.filter(({ questions, ofQuestions }) => questions < ofQuestions).length;
  const machines = [...new Set(rows.map(({ machine }) => machine))].join("; ");
  return `${dates}, ${machines}${sampled > 0 ? ` (${sampled === rows.length ? "a sample" : `${sampled} rows are samples`})` : ""}`;
}
