/** Measures tables one after another and writes docs/results/NAME.json, the plots and the page. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toVerbatimError } from "../../adapters/cli/errors.js";
import { throwIfAborted } from "../../src/errors.js";
import { renderSvg } from "../support/draw.js";
import type { PapersContext, Table } from "./context.js";
import { CORPORA } from "./corpora.js";
import { isSampled, resultsPage, SECTIONS } from "./page.js";
import { writeWhole } from "./part-store.js";
import { PAPER_PLOTS, plotSubtitle } from "./plots.js";
import type { Row, TableResult, WrittenRow } from "./types.js";

/**
 * A table that fails is reported in one line and skipped; the others are measured.
 * @param options.docs  folder of results.md and results/
 * @param options.command  what measures a table, in full or as a sample
 * @returns the names of the skipped tables
 * @throws VerbatimError `aborted`
 */
export async function runTables(
  tables: readonly Table[],
  context: PapersContext,
  { docs, command }: { docs: string; command: (table: string, isSample: boolean) => string },
): Promise<string[]> {
  const skipped: string[] = [];
  for (const table of tables) {
    throwIfAborted(context.io.signal);
    context.log(`${table.name}: measuring`);
    try {
      const { name, peers } = table;
      const measured = await table.measure(context);
      const examples = await table.examples?.(context);
      const rows = withEarlierRows(
        measured.map((row) => ({ ...row, command: command(name, isSampled(row)) })),
        (await readResult(docs, name))?.rows ?? [],
      );
      const corpora = new Set(rows.map(({ corpus }) => corpus));
      const notMeasured: string[] = [];
      for (const { what, corpus } of (await table.notMeasured?.(context)) ?? [])
        if (corpus === undefined || !corpora.has(corpus)) notMeasured.push(what);
      for (const what of notMeasured) context.log(`${name}: not measured: ${what}`);
      const result: TableResult = { table: name, rows, peers };
      if (notMeasured.length > 0) result.notMeasured = notMeasured;
      const isSample = context.sample !== undefined;
      if (examples !== undefined)
        result.examples = examples.map((example) => ({ ...example, command: command(name, isSample) }));
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

/**
 * The new rows; where one is a sample, the row that was measured in full before with the same model. Rows over corpora
 * that `--smallest` and `--largest` leave out are kept too: they name their models.
 * @returns smaller corpora first, where some were left out
 */
export function withEarlierRows(rows: readonly WrittenRow[], before: readonly WrittenRow[]): WrittenRow[] {
  const key = ({ system, set, corpus, model }: Row): string => JSON.stringify([system, set, corpus, model]);
  const full = new Map(before.filter((row) => !isSampled(row)).map((row) => [key(row), row]));
  const kept = rows.map((row) => (isSampled(row) ? (full.get(key(row)) ?? row) : row));
  const measured = new Set(rows.map(({ corpus }) => corpus));
  const leftOut = CORPORA.filter(({ name }) => !measured.has(name)).map(({ name }) => name);
  const others = before.filter(({ corpus }) => leftOut.includes(corpus));
  return others.length === 0 ? kept : [...kept, ...others].sort((a, b) => a.passages - b.passages);
}

/** Undefined if the table was never written. */
async function readResult(docs: string, name: string): Promise<TableResult | undefined> {
  const text = await readFile(join(docs, "results", `${name}.json`), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as TableResult);
}

/** The page from all tables that were ever measured, with their plots. */
async function writePage(docs: string): Promise<void> {
  const results: TableResult[] = [];
  const plots = new Set<string>();
  for (const name of Object.keys(SECTIONS)) {
    const result = await readResult(docs, name);
    if (result === undefined) continue;
    results.push(result);
    const plot = PAPER_PLOTS[name];
    if (plot === undefined) continue;
    const svg = await renderSvg(plot(result), plotSubtitle(result));
    await writeWhole(join(docs, "results", `${name}.svg`), `${svg}\n`);
    plots.add(name);
  }
  await writeWhole(join(docs, "results.md"), resultsPage(results, plots));
}
