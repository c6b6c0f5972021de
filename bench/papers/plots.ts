/** The plots of docs/results.md, by table. A table without an entry has no plot. */

import { bars, curves, type PlotSpec, points } from "../support/plot-parts.js";
import type { Row, TableResult } from "./types.js";

export const PAPER_PLOTS: Readonly<Record<string, (result: TableResult) => PlotSpec>> = {
  squad: ({ rows, peers }) => ({
    title: "SQuAD v1.1 dev, paragraph given",
    panels: [
      bars(
        [...rows, ...peers].flatMap(({ system, figures }) =>
          ["EM", "F1"]
            .filter((what) => figures[what] !== undefined)
            .map((what) => ({ row: system, what, value: figures[what]!.value })),
        ),
        { value: "percent" },
      ),
    ],
  }),
  sentences: ({ rows }) => ({
    title: "Sentence retrieval",
    panels: [
      bars(
        rows.flatMap(({ system, set, corpus, figures }) =>
          ["MRR", "R@1"].map((what) => ({
            row: `${set}, ${system}${corpus.includes("paragraphs") ? ", in context" : ""}`,
            what,
            value: figures[what]?.value,
          })),
        ),
        { value: "percent" },
      ),
    ],
  }),
  ranking: ({ rows }) => ({
    title: "Documents ranked for questions reserved for measuring",
    panels: [
      bars(
        rows.map(({ system, set, figures }) => ({
          row: set.replaceAll("*", ""),
          what: system,
          value: figures["nDCG@10"]?.value,
        })),
        { value: "nDCG@10, percent" },
      ),
    ],
  }),
  open: ({ rows }) => ({
    title: "Open questions: exact match",
    panels: byCorpus(rows).map(([passages, rows]) =>
      bars(
        rows.map(({ system, set, figures }) => ({ row: system, what: set, value: figures.EM?.value })),
        { value: `EM, percent, over ${passages} passages` },
      ),
    ),
  }),
  scaling: ({ rows }) => ({
    title: "A growing corpus",
    panels: ["EM", "ms p50"].map((figure) =>
      curves(
        rows
          .filter((row) => row.figures[figure] !== undefined)
          .map((row) => ({ series: row.system, x: row.passages, y: row.figures[figure]!.value })),
        { x: "passages", y: figure, logX: true },
      ),
    ),
    columns: 2,
  }),
  engines: ({ rows }) => ({
    title: "Time at equal recall, the same weights",
    panels: [...new Set(rows.map(({ set }) => set))].map((set) =>
      points(rows.filter((row) => row.set === set).map(enginePoint), {
        x: `milliseconds per question (p50), ${set}`,
        y: "percent of the 100 best found",
        logX: true,
      }),
    ),
    columns: 2,
  }),
  sizes: ({ rows }) => ({
    title: "Bytes against exact match",
    panels: [
      points(
        rows.map((row) => ({ series: row.system, x: row.figures["times the text"]?.value, y: row.figures.EM?.value })),
        { x: "bytes on disk per byte of text", y: "EM, percent", logX: true },
      ),
    ],
  }),
  strategies: ({ rows }) => ({
    title: "Time against exact match",
    panels: byCorpus(rows).map(([passages, rows]) =>
      points(
        rows.map((row) => ({ series: row.system, x: row.figures["ms p50"]?.value, y: row.figures.EM?.value })),
        { x: `milliseconds per question (p50), ${passages} passages`, y: "EM, percent", logX: true },
      ),
    ),
  }),
};

/** The rows over each corpus, with its number of passages. */
function byCorpus(rows: readonly Row[]): [passages: string, rows: Row[]][] {
  const corpora = new Map<string, Row[]>();
  for (const row of rows) {
    const passages = row.passages.toLocaleString("en-US");
    corpora.set(passages, [...(corpora.get(passages) ?? []), row]);
  }
  return [...corpora];
}

/** Engines find passages or vectors: each row has the figure of one of the two. */
function enginePoint({ system, figures }: Row) {
  const found = figures["100 best passages found"] ?? figures["100 best vectors found"];
  return { series: system, x: figures["ms p50"]?.value, y: found?.value };
}

/** What a plot was made from, shown under its title. */
export function plotSubtitle({ rows }: TableResult): string {
  const dates = [...new Set(rows.map(({ date }) => date))].join(", ");
  const sampled = rows.filter(({ questions, ofQuestions }) => questions < ofQuestions).length;
  const machines = [...new Set(rows.map(({ machine }) => machine))].join("; ");
  return `${dates}, ${machines}${sampled > 0 ? ` (${sampled === rows.length ? "a sample" : `${sampled} rows are samples`})` : ""}`;
}
