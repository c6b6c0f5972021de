/** `verbatim eval squad FILE`: the command line; `squad.ts` and `squad-reader.ts` measure. */

import { type Command, Option } from "commander";
import { wrongUse } from "../../errors.js";
import { examples, jsonOption, modelOption, type ReaderFlags, readerOptions, threadsOption } from "../../options.js";
import type { CliContext } from "../../process-io.js";
import type { SquadFlags } from "../squad.js";
import { languageOption, limitOption, reportOption } from "./options.js";

export function registerEvalSquad(group: Command, context: CliContext): void {
  const command = group
    .command("squad")
    .argument("<file>", "SQuAD JSON (v1.1 or v2.0)")
    .description(
      "Measures exact match and F1 (0–100) of the best span of the gold paragraph, with and without n-grams; with --reader on, those of the reader instead.",
    )
    .addOption(languageOption())
    .addOption(limitOption())
    .addOption(
      new Option(
        "--stored",
        "score only what an index stores: the rows that pass the filter and the largest n-gram weights",
      ),
    )
    .addOption(reportOption())
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples([
        "verbatim eval squad dev-v1.1.json",
        "verbatim eval squad dev-v2.0.json --reader on --json",
        "verbatim eval squad cmrc2018_dev.json --language zh --model multi",
      ]),
    )
    .action((file: string, flags: SquadFlags & ReaderFlags) => evalSquad(file, flags, context));
  // the other options choose passages, and the paragraph is given
  for (const option of readerOptions("off").slice(0, 2)) command.addOption(option);
}

async function evalSquad(file: string, flags: SquadFlags & ReaderFlags, context: CliContext): Promise<void> {
  if (flags.reader === "auto") {
    throw wrongUse("--reader auto does not apply when the paragraph is given.", "Use --reader on or --reader off.");
  }
  if (flags.readerModel !== undefined && flags.reader !== "on") {
    throw wrongUse("--reader-model requires --reader on.", "Add --reader on, or remove --reader-model.");
  }
  if (flags.reader === "on") await (await import("../squad-reader.js")).runSquadReader(file, flags, context);
  else await (await import("../squad.js")).runSquad(file, flags, context);
}
