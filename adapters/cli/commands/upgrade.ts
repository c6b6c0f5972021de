/** `verbatim upgrade`: raises the level of an index, which keeps answering meanwhile. */

import type { Command } from "commander";
import type { IndexLevel } from "../../../src/index/format/level.js";
import { formatBytes } from "../../node/documents/skip.js";
import type { UpgradeSummary } from "../../node/ingest/upgrade-path.js";
import { indexFolder } from "../index-folder.js";
import {
  durabilityOption,
  type EncodingFlags,
  encodingOf,
  examples,
  indexOption,
  jsonOption,
  levelOption,
  modelOption,
  thinTermsOption,
  threadsOption,
} from "../options.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { openBar } from "../render/progress.js";
import { count, counted, duration } from "../render/terminal.js";
import { upgradeView } from "../render/upgrade-progress.js";

interface UpgradeFlags extends EncodingFlags {
  level: IndexLevel;
}

export function registerUpgrade(program: Command, context: CliContext): void {
  program
    .command("upgrade")
    .summary("raise the level of an index")
    .description(
      "Raises the level of an index by encoding what it does not store yet. No file is read again. The index keeps answering and improves with every commit; run the same command again to resume after Ctrl-C.",
    )
    .addOption(indexOption("upgrade", { hint: "It always has level full, so there is nothing to upgrade." }))
    .addOption(levelOption("how much is stored per passage from now on", ["thin", "full"]).default("full"))
    .addOption(thinTermsOption())
    .addOption(durabilityOption())
    .addOption(threadsOption())
    .addOption(jsonOption())
    .addOption(modelOption())
    .addHelpText(
      "after",
      `${examples(["verbatim upgrade", "verbatim upgrade --level thin --index ./my.index"])}\nExit status: 0 done or nothing to do, 2 usage error, 3 unusable or locked index, 130 stopped (committed passages are kept).\n`,
    )
    .action((flags: UpgradeFlags) => upgrade(flags, context));
}

async function upgrade(flags: UpgradeFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const { upgradePath } = await import("../../node/ingest/upgrade-path.js");
  const path = await indexFolder(flags.index, io);
  const bar = await openBar(io, { quiet: flags.json ?? false });
  const view = upgradeView((done, total, text) => bar.show(done, total, text));
  try {
    const options = { ...encodingOf(flags, io), level: flags.level };
    const summary = await upgradePath(path, { ...options, signal: io.signal, onProgress: view });
    bar.end();
    if (summary.stopped) context.setStatus(exitStatus.stopped);
    report(summary, flags, io);
  } finally {
    bar.end();
  }
}

function report(summary: UpgradeSummary, flags: UpgradeFlags, io: Io): void {
  const { total, stopped, ...raised } = summary;
  if (flags.json) {
    printLine(
      io.stdout,
      JSON.stringify({ index: flags.index, ...raised, stopped, level: total.level, bytes: total.bytes }),
    );
    return;
  }
  const { documents, documentsTotal, passages, seconds, tokensPerSecond } = raised;
  if (documentsTotal === 0) {
    printLine(io.stdout, `${flags.index} already has level ${total.level}.`);
    return;
  }
  const done = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  printLine(
    io.stdout,
    `Raised ${done} to level ${flags.level} in ${duration(seconds)} (${count(tokensPerSecond)} tokens/s).`,
  );
  printLine(io.stdout, `${flags.index} now takes ${formatBytes(total.bytes)}.`);
  if (!stopped) return;
  const left = counted(documentsTotal - documents, "document");
  printLine(io.stdout, `Stopped; ${left} left at their old level. Run the same command again to resume.`);
}
