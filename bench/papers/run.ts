/** Measures tables one after another and writes docs/results/NAME.json, the plots and the page. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toVerbatimError } from "../../adapters/cli/errors.js";
import { throwIfAborted } from "../../src/errors.js";
import { renderSvg } from "../support/draw.js";
import type { PapersContext, Table } from "./context.js";
import { resultsPage, SECTIONS } from "./page.js";
import { writeWhole } from "./part-store.js";
import { PAPER_PLOTS, plotSubtitle } from "./plots.js";
import type { TableResult } from "./types.js";

/**
 * A table that fails is reported in one line and skipped; the others are measured.
 * @param docs folder of results.md and results/
 * @returns the names of the skipped tables
 * @throws VerbatimError `aborted`
 */
export async function runTables(
  tables: readonly Table[],
  context: PapersContext,
  { docs, command }: { docs: string; command: (table: string) => string },
): Promise<string[]> {
  const skipped: string[] = [];
  for (const table of tables) {
    throwIfAborted(context.io.signal);
    context.log(`${table.name}: measuring`);
    try {
      const rows = await table.measure(context);
      const { name, peers } = table;
      const examples = await table.examples?.(context);
      const result: TableResult = { table: name, command: command(name), rows, peers, ...(examples && { examples }) };
      await writeWhole(join(docs, "results", `${table.name}.json`), `${JSON.stringify(result, null, 1)}\n`);
      await writePage(docs);
      context.log(`${table.name}: wrote ${join(docs, "results", `${table.name}.json`)}`);
    } catch (error) {
      throwIfAborted(context.io.signal);
      const { message, hint } = toVerbatimError(error);
      context.log(`${table.name} is skipped: ${message}${hint === undefined ? "" : ` ${hint}`}`);
      skipped.push(table.name);
    }
  }
  return skipped;
}

/** The page from all tables that were ever measured, with their plots. */
async function writePage(docs: string): Promise<void> {
  const results: TableResult[] = [];
  const plots = new Set<string>();
  for (const name of Object.keys(SECTIONS)) {
    const text = await readFile(join(docs, "results", `${name}.json`), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const result = JSON.parse(text) as TableResult;
    results.push(result);
    const plot = PAPER_PLOTS[name];
    if (plot === undefined) continue;
    const svg = await renderSvg(plot(result), plotSubtitle(result));
    await writeWhole(join(docs, "results", `${name}.svg`), `${svg}\n`);
    plots.add(name);
  }
  await writeWhole(join(docs, "results.md"), resultsPage(results, plots));
}
