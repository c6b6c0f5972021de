/** `verbatim watch`: keeps an index up to date with files and folders. */

import { type Command, Option } from "commander";
import type { Durability } from "../../../src/index/write/without-syncs.js";
import type { InputCounts } from "../../node/ingest/index-inputs.js";
import type { DocumentChange } from "../../node/ingest/index-paths.js";
import {
  durabilityOption,
  examples,
  indexOption,
  modelOf,
  modelOption,
  noneEmpty,
  ocrOption,
  threadsOption,
} from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { type Fields, fieldOption } from "../render/fields.js";
import { progressView } from "../render/index-progress.js";
import { mergeFailedLine } from "../render/merge-failed.js";
import { notPrunedLine, skippedLines } from "../render/skipped.js";
import { count, plain } from "../render/terminal.js";

interface WatchFlags {
  index: string;
  ocr?: boolean;
  field?: Fields;
  durability?: Durability;
  threads?: number;
  json?: boolean;
  model?: string;
}

export function registerWatch(program: Command, context: CliContext): void {
  program
    .command("watch")
    .summary("keep an index up to date with folders")
    .description(
      "Brings an index up to date with files and folders, then applies every change to them and prints a line for it, until Ctrl-C. Meanwhile, ask from another terminal.",
    )
    .argument("<path...>", "files and folders, as for verbatim index", noneEmpty)
    .addOption(indexOption("watch", { hint: "To pick up changes, run verbatim index PATH --to ADDRESS again." }))
    .addOption(ocrOption())
    .addOption(fieldOption())
    .addOption(durabilityOption())
    .addOption(threadsOption())
    .addOption(new Option("--json", "print a JSON object per line instead of text"))
    .addOption(modelOption("auto (by the language of the documents, kept for later runs)"))
    .addHelpText(
      "after",
      `${examples(["verbatim watch ~/notes --index ./my.index", "verbatim watch notes papers --json"])}\nExit status: 0 stopped by Ctrl-C, 2 usage error, 3 nothing to watch or unusable index.\n`,
    )
    .action((paths: string[], flags: WatchFlags) => watch(paths, flags, context));
}

async function watch(paths: string[], flags: WatchFlags, { io }: CliContext): Promise<void> {
  const { watchPaths } = await import("../../node/watch/watch-paths.js");
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const { modelFolderForPaths } = await import("../../node/ingest/choose-model.js");
  const { languagesLine } = await import("../render/languages.js");
  const { cwd, signal, parsers } = io;
  const choice = { ...modelOf(flags.model, io), index: flags.index, cwd, signal, parsers };
  const encoder = await openEncoder({ modelFolder: await modelFolderForPaths(paths, choice), threads: flags.threads });
  const view = await progressView(io, { quiet: flags.json ?? false });
  const note = (line: string): void => {
    view.end();
    printLine(io.stderr, line);
  };
  let caughtUp = false;
  let languages: Promise<unknown> = Promise.resolve();
  let version = 0;
  try {
    await watchPaths(paths, {
      index: flags.index,
      encoder,
      ocr: flags.ocr ?? false,
      fields: flags.field,
      durability: flags.durability,
      parsers,
      cwd,
      signal,
      onProgress: (progress) => {
        if (!caughtUp) view.show(progress);
      },
      onChange: (change) => {
        if (caughtUp) printChange(change, flags, io);
      },
      onSkip: (skip) => {
        for (const line of skippedLines([skip], skip.count ?? 1).slice(1)) note(`skipped ${line.trim()}`);
      },
      onNotPruned: (notPruned) => note(notPrunedLine(notPruned)),
      onLocked: (error) => note(`${plain(error.message)} Waiting for the lock.`),
      onMergeError: (error) => note(mergeFailedLine(error)),
      onRound: (counts) => {
        view.end();
        version = counts.version;
        if (!caughtUp && !counts.stopped) {
          printReady(counts, flags, io);
          // words alone find documents of any language
          if (!flags.json && counts.phrases > 0)
            languages = languagesLine(counts.languages, encoder.info.name, {
              paths,
              index: flags.index,
              documents: counts.documents,
            }).then((line) => line && note(line));
        }
        caughtUp = true;
      },
    });
  } finally {
    view.end();
    await languages;
    await encoder.close();
  }
  if (!flags.json)
    printLine(io.stderr, `Stopped. ${flags.index} is at version ${version}; run the same command again to resume.`);
}

function printChange(change: DocumentChange, flags: WatchFlags, io: Io): void {
  const { change: what, id, from = id } = change;
  const name = from === id ? id : `${from} → ${id}`;
  printLine(io.stdout, flags.json ? JSON.stringify(change) : `${what.padEnd(8)} ${plain(name)}`);
}

/** Prints only the counts of the first round, which may cover a whole index. */
function printReady(counts: InputCounts & { version: number }, flags: WatchFlags, io: Io): void {
  const { documents, replaced: changed, renamed, fieldsChanged: fields, pruned: removed, unchanged, version } = counts;
  const counted = { new: documents - changed, changed, renamed, fields, removed, unchanged };
  const parts = Object.entries(counted).flatMap(([what, number]) => (number > 0 ? [`${count(number)} ${what}`] : []));
  const line = `ready    ${parts.join(", ") || "no documents"}; ${flags.index} is at version ${version}. Ctrl-C to stop.`;
  printLine(io.stdout, flags.json ? JSON.stringify({ change: "ready", ...counted, version }) : line);
}
