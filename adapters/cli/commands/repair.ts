/** `verbatim repair`: repairs a damaged index and reports what was lost. */

import type { Command } from "commander";
import { shellWord } from "../../../src/errors.js";
import type { RepairReport } from "../../../src/index/maintain/repair.js";
import { indexFolder } from "../index-folder.js";
import { examples, indexOption, jsonOption, modelOf, modelOption } from "../options.js";
import { type CliContext, printLine } from "../process-io.js";
import { openBar } from "../render/progress.js";
import { count, counted, plain } from "../render/terminal.js";

/** Documents printed; --json lists all. */
const SHOWN = 50;

interface RepairFlags {
  index: string;
  json?: boolean;
  model?: string;
}

export function registerRepair(program: Command, context: CliContext): void {
  program
    .command("repair")
    .summary("repair a damaged index")
    .description(
      "Checks every byte, rebuilds what can be rebuilt, drops only what is damaged, and lists the documents that must be indexed again. An undamaged index is not changed.",
    )
    .addOption(indexOption("repair", { hint: "Load the affected documents again: verbatim index PATH --to ADDRESS" }))
    .addOption(jsonOption())
    .addOption(modelOption())
    .addHelpText(
      "after",
      `${examples(["verbatim repair", "verbatim repair --index ./my.index --json"])}\nExit status: 0 the index is undamaged now, 2 usage error, 3 not repairable, 130 stopped.\n`,
    )
    .action((flags: RepairFlags) => repair(flags, context));
}

async function repair(flags: RepairFlags, { io }: CliContext): Promise<void> {
  const { repairIndex } = await import("../../node/maintain-index.js");
  const path = await indexFolder(flags.index, io, { needsManifest: false });
  const bar = await openBar(io, { quiet: flags.json ?? false });
  let report: RepairReport;
  try {
    const onProgress = (done: number, total: number): void => bar.show(done, total);
    report = await repairIndex(path, { ...modelOf(flags.model, io), signal: io.signal, onProgress });
  } finally {
    bar.end();
  }
  if (flags.json) return printLine(io.stdout, JSON.stringify({ index: flags.index, ...report }));
  for (const line of repairLines(report, flags.index)) printLine(io.stdout, line);
}

function repairLines(report: RepairReport, index: string): string[] {
  if (!report.repaired) return [`${index} is undamaged; nothing was changed.`];
  const { problems, rebuiltFiles, salvagedSegments, droppedSegments, documentsToReadAgain, unknownDocuments } = report;
  const lines = problems.map((problem) => plain(String(problem)));
  if (rebuiltFiles.length > 0) lines.push(`Rebuilt: ${rebuiltFiles.join(", ")}.`);
  if (salvagedSegments.length > 0) lines.push(`Kept the undamaged documents of: ${salvagedSegments.join(", ")}.`);
  if (droppedSegments.length > 0) lines.push(`Dropped because of damage: ${droppedSegments.join(", ")}.`);
  if (report.deletionsMayBeBack)
    lines.push("Deleted documents may have reappeared, because the record of deletions was damaged.");
  const documents = counted(report.documents, "document");
  lines.push(`${index} is repaired: ${documents} (version ${report.version}).`);
  if (documentsToReadAgain.length > 0) {
    lines.push(`Lost; index them again with verbatim index PATH --index ${shellWord(index)}:`);
    for (const { source } of documentsToReadAgain.slice(0, SHOWN)) lines.push(`  ${plain(source)}`);
    const more = documentsToReadAgain.length - SHOWN;
    if (more > 0) lines.push(`  … and ${count(more)} more (--json lists all)`);
  }
  if (unknownDocuments > 0) {
    const which = `${counted(unknownDocuments, "document")} with unreadable names`;
    lines.push(`Lost: ${which}. Index your folders again; documents that are present are skipped.`);
  }
  return lines;
}
