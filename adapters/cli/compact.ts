/** `verbatim compact`: gives back the room of deleted documents and joins small segments. Needs no model. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { formatBytes } from "../node/documents/skip.js";
import { type CliContext, printLine } from "./io.js";
import { examples, indexOption, jsonOption } from "./options.js";
import { openBar } from "./progress.js";
import { counted } from "./terminal.js";

interface CompactFlags {
  index: string;
  full?: boolean;
  json?: boolean;
}

export function registerCompact(program: Command, context: CliContext): void {
  program
    .command("compact")
    .summary("give back the room of deleted documents")
    .description(
      "Joins small segments and drops what was deleted, so that an index is smaller and quicker. Answers stay the same; whoever has it open goes on.",
    )
    .addOption(indexOption())
    .addOption(new Option("--full", "every segment, and not only where it pays"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples(["verbatim compact", "verbatim compact --full --index ./my.index"])}\nExit status: 0 done or nothing to do, 2 wrong use, 3 broken or locked index, 130 stopped (what was joined is kept).\n`,
    )
    .action((flags: CompactFlags) => compact(flags, context));
}

async function compact(flags: CompactFlags, { io }: CliContext): Promise<void> {
  const { requireIndex } = await import("../node/index-totals.js");
  const { openIndexWriter } = await import("../../src/index/writer.js");
  const { FileStorage } = await import("../node/storage.js");
  const path = resolve(io.cwd, flags.index);
  await requireIndex(path, flags.index);
  const writer = await openIndexWriter(new FileStorage(path), { signal: io.signal });
  const bar = openBar(io, { quiet: flags.json ?? false });
  try {
    const report = await writer.compact({
      full: flags.full ?? false,
      signal: io.signal,
      onProgress: (done, total) => bar.show(done, total),
    });
    bar.end();
    if (flags.json) return printLine(io.stdout, JSON.stringify({ index: flags.index, ...report }));
    const { merged, removedDocuments, segmentsBefore, segmentsAfter, bytesBefore, bytesAfter, version } = report;
    if (merged === 0) return printLine(io.stdout, `${flags.index} is compact already.`);
    const segments = `${counted(segmentsBefore, "segment")} became ${segmentsAfter}`;
    const bytes = `${formatBytes(bytesBefore)} became ${formatBytes(bytesAfter)}`;
    const dropped = removedDocuments > 0 ? `; ${counted(removedDocuments, "deleted document")} dropped` : "";
    printLine(io.stdout, `${segments}, ${bytes}${dropped} (version ${version}).`);
  } finally {
    bar.end();
    await writer.close();
  }
}
