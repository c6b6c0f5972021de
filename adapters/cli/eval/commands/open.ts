/** `verbatim eval open QUESTIONS`: the command line; `open.ts` measures. */

import { type Command, Option } from "commander";
import { STRATEGY_NAMES } from "../../../../src/search/strategies/names.js";
import {
  candidatesOption,
  examples,
  indexOption,
  jsonOption,
  modelOption,
  strategyOption,
  threadsOption,
  wholeNumber,
} from "../../options.js";
import type { CliContext } from "../../process-io.js";
import type { OpenFlags } from "../open.js";
import { addReaderOptions, languageOption, limitOption, reportOption, seedOption } from "./options.js";

export function registerEvalOpen(group: Command, context: CliContext): void {
  const command = group
    .command("open")
    .argument("<questions>", "SQuAD JSON, or lines of {id, question, answers | answer_regex, document, language}")
    .description(
      "Asks questions of a whole index and measures exact match and F1 with 95 % intervals, recall of answers, sentences and passages, and times. Lines with a language are scored in it, and summed up by language.",
    )
    .addOption(indexOption("eval open"))
    .addOption(strategyOption())
    .addOption(
      new Option(
        "--compare <name>",
        "a second strategy, asked without the reader and compared question by question",
      ).choices(STRATEGY_NAMES),
    )
    .addOption(candidatesOption())
    .addOption(languageOption())
    .addOption(limitOption())
    .addOption(seedOption())
    .addOption(
      new Option("--top-k <n>", "number of answers requested; a larger number takes longer")
        .argParser(wholeNumber(1, 1000))
        .default(50),
    )
    .addOption(reportOption())
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples([
        "verbatim eval open dev-v1.1.json --index ./dev.index --json",
        "verbatim eval open questions.jsonl --index ./my.index --strategy hybrid --compare sparse-first",
        "verbatim eval open questions.jsonl --index ./my.index --reader on --compare hybrid",
        "verbatim eval open cmrc2018_dev.json --index ./cmrc.index --language zh",
      ]),
    )
    .action(async (file: string, flags: OpenFlags) => (await import("../open.js")).runOpen(file, flags, context));
  addReaderOptions(command, "as ask does; off with --compare");
}
