/** `verbatim check`: reads every byte of an index and reports damage. Needs no model. */

import type { Command } from "commander";
import { shellWord, VerbatimError } from "../../../src/errors.js";
import type { CheckOptions, CheckReport } from "../../../src/index/maintain/check.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { indexFolder } from "../index-folder.js";
import { anyIndexOption, examples, jsonOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { openBar } from "../render/progress.js";
import { counted, plain } from "../render/terminal.js";

interface CheckFlags {
  index: string;
  json?: boolean;
}

export function registerCheck(program: Command, context: CliContext): void {
  program
    .command("check")
    .summary("check an index for damage")
    .description(
      "Checks every checksum, bound and offset of an index and reports the damaged file and block. For an index in a cluster it checks the counts and a sample of the passages. Changes nothing.",
    )
    .addOption(anyIndexOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples(["verbatim check", "verbatim check --index ./my.index --json"])}\nExit status: 0 undamaged, 2 usage error, 3 damaged or missing.\n`,
    )
    .action((flags: CheckFlags) => check(flags, context));
}

async function check(flags: CheckFlags, { io }: CliContext): Promise<void> {
  const bar = await openBar(io, { quiet: flags.json ?? false });
  const onProgress = (done: number, total: number): void => bar.show(done, total);
  const options = { signal: io.signal, onProgress };
  const isCluster = isClusterAddress(flags.index);
  const index = shownAddress(flags.index);
  const report = await (isCluster
    ? checkAddress(flags.index, io, options)
    : checkPath(flags.index, io, options)
  ).finally(() => bar.end());
  if (flags.json) printLine(io.stdout, JSON.stringify({ index, ...report }));
  else if (report.ok) printLine(io.stdout, `${index} is undamaged.`);
  else for (const problem of report.problems) printLine(io.stdout, plain(String(problem)));
  if (report.ok) return;
  throw new VerbatimError("corrupt-segment", `${index} is damaged: ${counted(report.problems.length, "problem")}.`, {
    hint: isCluster
      ? "Load the affected documents again: verbatim index PATH --to ADDRESS, or verbatim copy INDEX ADDRESS --replace."
      : `Run verbatim repair --index ${shellWord(index)}. It drops only what is damaged and lists the documents to index again.`,
  });
}

async function checkPath(index: string, io: Io, options: CheckOptions): Promise<CheckReport> {
  const { checkFolder } = await import("../../node/check/check-threads.js");
  return checkFolder(await indexFolder(index, io, { needsManifest: false }), options);
}

async function checkAddress(address: string, { env }: Io, options: CheckOptions): Promise<CheckReport> {
  const { openConnectedIndex } = await import("../../opensearch/open.js");
  const { checkCluster } = await import("../../opensearch/check.js");
  const connected = await openConnectedIndex({ address, env, signal: options.signal });
  return checkCluster(connected, options).finally(() => connected.connection.close());
}
