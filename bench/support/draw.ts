/** Plots the accumulated lines of a bench: bench/results/NAME.jsonl → bench/results/NAME.svg. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { type Line, type PlotSpec, toVegaLite } from "./plot-parts.js";
import { PLOTS } from "./plots.js";

const RESULTS = fileURLToPath(new URL("../results", import.meta.url));

/** Names of benches with results. */
export async function benchesWithResults(): Promise<string[]> {
  return (await readdir(RESULTS)).filter((file) => file.endsWith(".jsonl")).map((file) => file.slice(0, -6));
}

export async function linesOf(bench: string): Promise<Line[]> {
  const text = await readFile(join(RESULTS, `${bench}.jsonl`), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** @throws Error if the bench has no plot */
export async function svgOf(bench: string, lines: readonly Line[]): Promise<string> {
  const plot = PLOTS[bench];
  if (plot === undefined) throw new Error(`${bench} has no plot: add one to bench/support/plots.ts.`);
  const { date, machine } = lines.at(-1)!;
  return renderSvg(plot(lines), `${date}, ${machine}`);
}

export async function renderSvg(plot: PlotSpec, subtitle: string): Promise<string> {
  const { spec } = compile(toVegaLite(plot, subtitle));
  return new View(parse(spec), { renderer: "none" }).toSVG();
}

/** @returns the path of the written file */
export async function draw(bench: string): Promise<string> {
  const file = join(RESULTS, `${bench}.svg`);
  await writeFile(file, `${await svgOf(bench, await linesOf(bench))}\n`);
  return file;
}
