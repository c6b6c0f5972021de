/** `verbatim check`: reads every byte of an index and names what is damaged. Needs no model. */

import { resolve } from "node:path";
import type { Command } from "commander";
import { VerbatimError } from "../../src/errors.js";
import { type CliContext, printLine } from "./io.js";
import { examples, indexOption, jsonOption } from "./options.js";
import { openBar } from "./progress.js";
import { counted, plain } from "./terminal.js";

interface CheckFlags {
  index: string;
  json?: boolean;
}

export function registerCheck(program: Command, context: CliContext): void {
  program
    .command("check")
    .summary("check every byte of an index")
    .description(
      "Checks every checksum, bound and offset of an index and names the damaged file and block. Changes nothing.",
    )
    .addOption(indexOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples(["verbatim check", "verbatim check --index ./my.index --json"])}\nExit status: 0 sound, 2 wrong use, 3 damaged or missing.\n`,
    )
    .action((flags: CheckFlags) => check(flags, context));
}

async function check(flags: CheckFlags, { io }: CliContext): Promise<void> {
  const { requireIndex } = await import("../node/index-totals.js");
  const { checkFolder } = await import("../node/check-threads.js");
  const path = resolve(io.cwd, flags.index);
  await requireIndex(path, flags.index);
  const bar = openBar(io, { quiet: flags.json ?? false });
  const onProgress = (done: number, total: number): void => bar.show(done, total);
  const report = await checkFolder(path, { signal: io.signal, onProgress }).finally(() => bar.end());
  if (flags.json) printLine(io.stdout, JSON.stringify({ index: flags.index, ...report }));
  else if (report.ok) printLine(io.stdout, `${flags.index} is sound.`);
  else for (const problem of report.problems) printLine(io.stdout, plain(String(problem)));
  if (report.ok) return;
  throw new VerbatimError(
    "corrupt-segment",
    `${flags.index} is damaged: ${counted(report.problems.length, "problem")}.`,
    {
      hint: `Repair it: verbatim repair --index ${flags.index}. It drops only what is damaged, and says what must be read again.`,
    },
  );
}
