/**
 * `verbatim snapshot` and `verbatim restore`: copy a whole index to another folder, and back. Need
 * no model.
 */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { hasCode, VerbatimError } from "../../../src/errors.js";
import type { CopyReport } from "../../../src/index/maintain/snapshot.js";
import { formatBytes } from "../../node/documents/skip.js";
import { indexFolder } from "../index-folder.js";
import { examples, folder, indexOption, jsonOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { openBar } from "../render/progress.js";
import { counted } from "../render/terminal.js";

interface SnapshotFlags {
  index: string;
  json?: boolean;
  replace?: boolean;
}

const NOT_A_FOLDER = {
  message: "A snapshot is a folder, not an index in a cluster.",
  hint: "To copy an index into a cluster or out of it, use verbatim copy FROM TO.",
};

export function registerSnapshot(program: Command, context: CliContext): void {
  program
    .command("snapshot")
    .summary("back up an index")
    .description(
      "Copies the newest version of an index to another folder while readers and a writer continue. On the same disk the files are shared (hard links), which takes no time and no space.",
    )
    .argument("<dir>", "folder for the copy, without an index in it", folder("snapshot", NOT_A_FOLDER))
    .addOption(indexOption("snapshot", { hint: "Copy it into a folder: verbatim copy ADDRESS DIR" }))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim snapshot ~/backup/my.index --index ./my.index",
        'verbatim ask "who?" --index ~/backup/my.index        # a snapshot can be queried like any index',
      ])}\nExit status: 0 copied, 2 usage error or existing index, 3 unusable index or full disk, 130 stopped.\n`,
    )
    .action((dir: string, flags: SnapshotFlags) => snapshot(dir, flags, context.io));
}

export function registerRestore(program: Command, context: CliContext): void {
  program
    .command("restore")
    .summary("restore an index from a snapshot")
    .description("Restores an index from a snapshot in one step: readers see either the old or the new content.")
    .argument("<dir>", "folder written by verbatim snapshot", folder("restore", NOT_A_FOLDER))
    .addOption(indexOption("restore", { hint: "Copy the snapshot into it: verbatim copy DIR ADDRESS --replace" }))
    .addOption(new Option("--replace", "replace an existing index"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim restore ~/backup/my.index --index ./my.index",
        "verbatim restore ~/backup/my.index --index ./my.index --replace",
      ])}\nExit status: 0 restored, 2 usage error or existing index, 3 damaged snapshot or full disk, 130 stopped.\n`,
    )
    .action((dir: string, flags: SnapshotFlags) => restore(dir, flags, context.io));
}

async function snapshot(dir: string, flags: SnapshotFlags, io: Io): Promise<void> {
  const { snapshotIndex } = await import("../../node/maintain-index.js");
  const path = await indexFolder(flags.index, io);
  const report = await withBar(flags, io, (onProgress) =>
    snapshotIndex(path, resolve(io.cwd, dir), { signal: io.signal, onProgress }),
  );
  printReport(`${dir} is a snapshot of ${flags.index}`, report, { index: flags.index, snapshot: dir, flags, io });
}

async function restore(dir: string, flags: SnapshotFlags, io: Io): Promise<void> {
  const { restoreIndex } = await import("../../node/maintain-index.js");
  const from = await indexFolder(dir, io).catch((error) => {
    if (!hasCode(error, "index-missing")) throw error;
    const hint = "Check the path of the snapshot.";
    throw new VerbatimError("index-missing", `There is no snapshot in ${dir}.`, { hint });
  });
  const { replace = false } = flags;
  const report = await withBar(flags, io, (onProgress) =>
    restoreIndex(from, resolve(io.cwd, flags.index), { signal: io.signal, onProgress, replace }),
  );
  printReport(`${flags.index} was restored from ${dir}`, report, { index: flags.index, snapshot: dir, flags, io });
}

async function withBar(
  flags: SnapshotFlags,
  io: Io,
  copy: (onProgress: (done: number, total: number) => void) => Promise<CopyReport>,
): Promise<CopyReport> {
  const bar = await openBar(io, { quiet: flags.json ?? false });
  try {
    return await copy((done, total) => bar.show(done, total));
  } finally {
    bar.end();
  }
}

function printReport(
  what: string,
  report: CopyReport,
  rest: { index: string; snapshot: string; flags: SnapshotFlags; io: Io },
): void {
  const { index, snapshot: copy, flags, io } = rest;
  if (flags.json) {
    printLine(io.stdout, JSON.stringify({ index, snapshot: copy, ...report }));
    return;
  }
  const { documents, version, bytes, linked, files } = report;
  const shared = linked === files ? ", all files shared" : linked > 0 ? `, ${linked} of ${files} files shared` : "";
  printLine(
    io.stdout,
    `${what}: ${counted(documents, "document")}, ${formatBytes(bytes)}${shared} (version ${version}).`,
  );
}
