/** `verbatim info`: describes an index without loading the model. */

import { basename } from "node:path";
import type { Command } from "commander";
import { type IndexLevel, isBelow, LEVELS } from "../../../src/index/format/level.js";
import { formatBytes } from "../../node/documents/skip.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { indexFolder } from "../index-folder.js";
import { anyIndexOption, examples, jsonOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { count, counted } from "../render/terminal.js";

interface InfoFlags {
  index: string;
  json?: boolean;
}

export function registerInfo(program: Command, context: CliContext): void {
  program
    .command("info")
    .summary("describe an index")
    .description("Prints what an index contains: documents, passages, phrases, bytes, version and model.")
    .addOption(anyIndexOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples([
        "verbatim info",
        "verbatim info --index ./my.index --json",
        "verbatim info --index opensearch://localhost:9200/notes",
      ]),
    )
    .action((flags: InfoFlags) => info(flags, context));
}

/** "full", or "full; 1,234 passages still at lexical; verbatim upgrade --level full resumes" */
function levelText({ level, levels }: { level: IndexLevel; levels: Partial<Record<IndexLevel, number>> }): string {
  const lower = LEVELS.filter((name) => isBelow(name, level) && (levels[name] ?? 0) > 0);
  if (lower.length === 0) return level;
  const left = lower.map((name) => `${counted(levels[name]!, "passage")} still at ${name}`).join(", ");
  return `${level}; ${left}; verbatim upgrade --level ${level} resumes`;
}

async function info(flags: InfoFlags, context: CliContext): Promise<void> {
  if (isClusterAddress(flags.index)) return infoOfAddress(flags, context);
  const { io } = context;
  const { readTotals } = await import("../../node/index-info.js");
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const path = await indexFolder(flags.index, io);
  const totals = (await readTotals(new FileStorage(path)))!;
  const reader = await readerName(path);
  if (flags.json)
    return printLine(io.stdout, JSON.stringify({ index: flags.index, ...totals, reader: reader ?? null }));
  const sizeText = (bytes: number): string =>
    totals.textBytes === 0
      ? formatBytes(bytes)
      : `${formatBytes(bytes)}, ${(bytes / totals.textBytes).toFixed(2)} × the text`;
  const rows: Array<[string, string]> = [
    ["index", flags.index],
    ["documents", count(totals.documents)],
    ["passages", count(totals.passages)],
    ["phrases", count(totals.phrases)],
    ["tokens", count(totals.tokens)],
    ["level", levelText(totals)],
    ["text", formatBytes(totals.textBytes)],
    ["size", sizeText(totals.bytes)],
    ["segments", count(totals.segments)],
    ["version", `${totals.version} (format ${totals.formatVersion})`],
    ["model", `${totals.model} (${totals.passageModelHash.slice(0, 12)})`],
    ["reader", reader ?? "none: no installed reader fits the model"],
  ];
  for (const [component, bytes] of Object.entries(totals.componentBytes))
    rows.push([`  ${component}`, sizeText(bytes)]);
  printRows(io, rows);
}

/** The installed reader that questions use unless they name another; undefined if there is none. */
async function readerName(index: string): Promise<string | undefined> {
  const { installedModel } = await import("../../node/models/installed-model.js");
  const { installedReaderFolder } = await import("../../node/models/reader/reader-folder.js");
  const model = await installedModel({ index });
  const folder = model && (await installedReaderFolder(model).catch(() => undefined));
  return folder && basename(folder);
}

function printRows(io: Io, rows: ReadonlyArray<readonly [name: string, value: string]>): void {
  for (const [name, value] of rows) printLine(io.stdout, `${name.padEnd(12)}  ${value}`);
}

async function infoOfAddress({ index: address, json = false }: InfoFlags, { io }: CliContext): Promise<void> {
  const { openConnectedIndex } = await import("../../opensearch/open.js");
  const { clusterTotals } = await import("../../opensearch/cluster-info.js");
  const { env, signal } = io;
  const connected = await openConnectedIndex({ address, env, signal });
  try {
    const totals = await clusterTotals(connected, signal);
    const index = shownAddress(address);
    if (json) return printLine(io.stdout, JSON.stringify({ index, ...totals }));
    const { version, mapping, shards, replicas, vectors, segments, bytes, bytesOfCopies, passageModelHash } = totals;
    printRows(io, [
      ["index", index],
      ["documents", count(totals.documents)],
      ["passages", count(totals.passages)],
      ["size", `${formatBytes(bytes)}, with replicas ${formatBytes(bytesOfCopies)}`],
      ["shards", `${counted(shards, "shard")}, ${counted(replicas, "replica")} each`],
      ["segments", `${count(segments)} including replicas`],
      ["vectors", vectors ? "yes" : "no: hybrid finds passages by words only"],
      ["version", `${version} (mapping ${mapping})`],
      ["model", `${totals.model} (${passageModelHash.slice(0, 12)})`],
    ]);
  } finally {
    await connected.connection.close();
  }
}
