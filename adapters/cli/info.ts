/** `verbatim info`: what an index holds, without loading the model. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../node/documents/skip.js";
import { type CliContext, printLine } from "./io.js";
import { examples, indexOption, jsonOption } from "./options.js";
import { count } from "./terminal.js";

interface InfoFlags {
  index: string;
  json?: boolean;
}

export function registerInfo(program: Command, context: CliContext): void {
  program
    .command("info")
    .summary("say what an index holds")
    .description("Says what an index holds: documents, passages, phrases, bytes, version, model.")
    .addOption(indexOption())
    .addOption(jsonOption())
    .addHelpText("after", examples(["verbatim info", "verbatim info --index ./my.index --json"]))
    .action((flags: InfoFlags) => info(flags, context));
}

async function info(flags: InfoFlags, { io }: CliContext): Promise<void> {
  const { readTotals, requireIndex } = await import("../node/index-totals.js");
  const { FileStorage } = await import("../node/storage.js");
  const path = resolve(io.cwd, flags.index);
  await requireIndex(path, flags.index);
  const totals = (await readTotals(new FileStorage(path)))!;
  if (flags.json) return printLine(io.stdout, JSON.stringify({ index: flags.index, ...totals }));
  const rows: Array<[string, string]> = [
    ["index", flags.index],
    ["documents", count(totals.documents)],
    ["passages", count(totals.passages)],
    ["phrases", count(totals.phrases)],
    ["tokens", count(totals.tokens)],
    ["size", formatBytes(totals.bytes)],
    ["segments", count(totals.segments)],
    ["version", `${totals.version} (format ${totals.formatVersion})`],
    ["term unit", totals.termUnit],
    ["model", `${totals.model} (${totals.passageModelHash.slice(0, 12)})`],
  ];
  for (const [component, bytes] of Object.entries(totals.componentBytes))
    rows.push([`  ${component}`, formatBytes(bytes)]);
  for (const [name, value] of rows) printLine(io.stdout, `${name.padEnd(12)}  ${value}`);
}
