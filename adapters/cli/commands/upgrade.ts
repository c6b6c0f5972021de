/** `verbatim upgrade`: raises the level of an index, which keeps answering meanwhile. */

import { resolve } from "node:path";
import type { Command } from "commander";
import type { IndexLevel } from "../../../src/index/format/level.js";
import type { UpgradeProgress } from "../../../src/index/write/upgrade.js";
import { formatBytes } from "../../node/documents/skip.js";
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
  const { requireIndex } = await import("../../node/index-info.js");
  const path = resolve(io.cwd, flags.index);
  await requireIndex(path, flags.index);
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

type Summary = Awaited<ReturnType<typeof import("../../node/ingest/upgrade-path.js")["upgradePath"]>>;

function report(summary: Summary, flags: UpgradeFlags, io: Io): void {
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

/** "1,234 of 5,678 passages, 2,345 tokens/s, 3 min 2 s left" */
export function upgradeView(
  show: (done: number, total: number, text: string) => void,
): (progress: UpgradeProgress) => void {
  const started = performance.now();
  return ({ passages, passagesTotal, tokens }) => {
    const seconds = (performance.now() - started) / 1000;
    const parts = [`${count(passages)} of ${counted(passagesTotal, "passage")}`];
    if (tokens > 0 && passages > 0) {
      const left = (seconds * (passagesTotal - passages)) / passages;
      parts.push(`${count(tokens / seconds)} tokens/s`, `${duration(Math.ceil(left))} left`);
    }
    show(passages, passagesTotal, parts.join(", "));
  };
}
