/** A self-contained HTML report without scripts: plots, all figures, and the worst questions. */

import { htmlDocument } from "../../render/html-document.js";
import { escaped } from "./svg.js";

/** A question whose first answer was wrong. */
export interface WorstQuestion {
  question: string;
  given: string;
  /** Source of the answer. */
  source: string;
  golds: readonly string[];
  confidence: number | undefined;
  score: number;
}

interface ReportPage {
  /** For example "eval open dev.json". */
  title: string;
  /** SVG documents. */
  plots: readonly string[];
  /** All figures, as in `--json`. */
  figures: object;
  worst: readonly WorstQuestion[];
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color-scheme:light dark;max-width:70rem;margin:2rem auto;padding:0 1rem}
figure{display:inline-block;margin:0 1rem 1rem 0;max-width:100%}svg{max-width:100%;height:auto;border-radius:6px}
table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #8886;padding:.25rem .75rem .25rem 0;text-align:start;vertical-align:top}
td.n{text-align:end;font-variant-numeric:tabular-nums}`;

export function reportPage({ title, plots, figures, worst }: ReportPage): string {
  const rows = figureRows(figures, "").map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td class="n">${escaped(value)}</td></tr>`,
  );
  const body = `<h1>${escaped(title)}</h1>
${plots.map((plot) => `<figure>${plot}</figure>`).join("\n")}
${worst.length === 0 ? "" : worstTable(worst)}
<h2>All figures</h2>
<table>
${rows.join("\n")}
</table>`;
  return htmlDocument({ title: escaped(title), style: STYLE, body });
}

function worstTable(worst: readonly WorstQuestion[]): string {
  const rows = worst.map(({ question, given, source, golds, confidence, score }) => {
    const certainty = confidence === undefined ? score.toFixed(1) : `${Math.round(100 * confidence)} %`;
    const cells = [question, given, source, golds.join(" / ")].map((text) => `<td dir="auto">${escaped(text)}</td>`);
    return `<tr>${cells.join("")}<td class="n">${certainty}</td></tr>`;
  });
  const head = ["question", "answer", "source", "expected", "confidence (or score)"];
  return `<h2>Wrong answers with the highest confidence</h2>
<table>
<tr>${head.map((name) => `<th scope="col">${name}</th>`).join("")}</tr>
${rows.join("\n")}
</table>`;
}

function figureRows(figures: object, prefix: string): [string, string][] {
  return Object.entries(figures).flatMap(([key, value]): [string, string][] => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (Array.isArray(value) && value.every((item) => typeof item === "number"))
      return [[name, value.map(shown).join(" to ")]];
    if (Array.isArray(value)) return []; // bins are drawn as a plot
    if (typeof value === "object" && value !== null) return figureRows(value, name);
    return [[name, shown(value)]];
  });
}

function shown(value: unknown): string {
  return typeof value === "number" ? String(Math.round(value * 1e4) / 1e4) : String(value);
}
