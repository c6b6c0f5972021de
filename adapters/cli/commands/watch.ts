/** `verbatim watch`: an index that follows folders. */

import type { Command } from "commander";
import type { Durability } from "../../../src/index/without-syncs.js";
import type { InputCounts } from "../../node/ingest/index-inputs.js";
import type { DocumentChange } from "../../node/ingest/index-paths.js";
import {
  durabilityOption,
  examples,
  indexOption,
  jsonOption,
  modelFolder,
  modelOption,
  threadsOption,
} from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { type Fields, fieldOption } from "../render/fields.js";
import { progressView } from "../render/index-progress.js";
import { notPrunedLine, skippedLines } from "../render/skipped.js";
import { count, plain } from "../render/terminal.js";

interface WatchFlags {
  index: string;
  field?: Fields;
  durability?: Durability;
  threads?: number;
  json?: boolean;
  model?: string;
}

export function registerWatch(program: Command, context: CliContext): void {
  program
    .command("watch")
    .summary("follow folders: the index is always what they hold")
    .description(
      "Takes in what is new, changed, renamed or gone in files and folders; then every change as it happens, one line each, until Ctrl-C. Ask meanwhile from another terminal.",
    )
    .argument("<path...>", "files and folders, as for verbatim index")
    .addOption(indexOption())
    .addOption(fieldOption())
    .addOption(durabilityOption())
    .addOption(threadsOption().default(undefined, "one a core"))
    .addOption(jsonOption().default(undefined, "one object a line"))
    .addOption(modelOption())
    .addHelpText(
      "after",
      `${examples(["verbatim watch ~/notes --index ./my.index", "verbatim watch notes papers --json"])}\nExit status: 0 ended by Ctrl-C, 2 wrong use, 3 nothing to watch or broken index.\n`,
    )
    .action((paths: string[], flags: WatchFlags) => watch(paths, flags, context));
}

async function watch(paths: string[], flags: WatchFlags, { io }: CliContext): Promise<void> {
  const { watchPaths } = await import("../../node/watch/watch-paths.js");
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const encoder = await openEncoder({ modelFolder: modelFolder(flags.model, io), threads: flags.threads });
  const view = progressView(io, { quiet: flags.json ?? false });
  const note = (line: string): void => {
    view.end();
    printLine(io.stderr, line);
  };
  let caughtUp = false;
  let version = 0;
  try {
    await watchPaths(paths, {
      index: flags.index,
      encoder,
      fields: flags.field,
      durability: flags.durability,
      cwd: io.cwd,
      signal: io.signal,
      onProgress: (progress) => {
        if (!caughtUp) view.show(progress);
      },
      onChange: (change) => {
        if (caughtUp) tellChange(change, flags, io);
      },
      onSkip: (skip) => {
        for (const line of skippedLines([skip], skip.count ?? 1).slice(1)) note(`skipped ${line.trim()}`);
      },
      onNotPruned: (notPruned) => note(notPrunedLine(notPruned)),
      onLocked: (error) => note(`${plain(error.message)} Waiting for it.`),
      onRound: (counts) => {
        view.end();
        version = counts.version;
        if (!caughtUp && !counts.stopped) tellCaughtUp(counts, flags, io);
        caughtUp = true;
      },
    });
  } finally {
    view.end();
    await encoder.close();
  }
  if (!flags.json)
    printLine(io.stderr, `Stopped. ${flags.index} is at version ${version}; run the same command again to go on.`);
}

function tellChange(change: DocumentChange, flags: WatchFlags, io: Io): void {
  const { change: what, id, from = id } = change;
  const name = from === id ? id : `${from} → ${id}`;
  printLine(io.stdout, flags.json ? JSON.stringify(change) : `${what.padEnd(8)} ${plain(name)}`);
}

/** Of the first round only the counts: it may be of a whole index. */
function tellCaughtUp(counts: InputCounts & { version: number }, flags: WatchFlags, io: Io): void {
  const { documents, replaced: changed, renamed, fieldsChanged: fields, pruned: removed, unchanged, version } = counts;
  const told = { new: documents - changed, changed, renamed, fields, removed, unchanged };
  const said = Object.entries(told).flatMap(([what, number]) => (number > 0 ? [`${count(number)} ${what}`] : []));
  const line = `ready    ${said.join(", ") || "no documents"}; ${flags.index} is at version ${version}. Ctrl-C ends.`;
  printLine(io.stdout, flags.json ? JSON.stringify({ change: "ready", ...told, version }) : line);
}
