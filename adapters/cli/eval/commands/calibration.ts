/** `verbatim eval calibration QUESTIONS`: the command line; `calibration.ts` measures. */

import { type Command, Option } from "commander";
import { STRATEGY_NAMES } from "../../../../src/search/strategies/names.js";
import { examples, indexOption, jsonOption, modelOption, threadsOption } from "../../options.js";
import type { CliContext } from "../../process-io.js";
import type { CalibrationFlags } from "../calibration.js";
import { addReaderOptions, limitOption, reportOption, seedOption } from "./options.js";

/** The strategies whose answers have a confidence. */
const CALIBRATED_STRATEGIES = STRATEGY_NAMES.filter((name) => name !== "sparta-reader" && name !== "lexical");

export function registerEvalCalibration(group: Command, context: CliContext): void {
  const command = group
    .command("calibration")
    .argument("<questions>", "SQuAD JSON, or lines of {id, question, answers | answer_regex}")
    .description(
      "Measures how reliable the confidence is: expected calibration error (15 bins; expectedCalibrationErrorByChance is what chance alone would give), AUROC of answerable against unanswerable questions, and a reliability table.",
    )
    .addOption(indexOption("eval calibration"))
    .addOption(
      new Option("--strategy <name>", "how candidates are found").choices(CALIBRATED_STRATEGIES).default("hybrid"),
    )
    .addOption(
      new Option(
        "--unanswerable <file>",
        "questions that the index cannot answer, as lines of {id, question}; default: the same questions, asked with part of the index hidden (--hide)",
      ),
    )
    .addOption(
      new Option(
        "--hide <what>",
        "without --unanswerable: what to hide, the question's own article or only its own passage",
      )
        .choices(["article", "passage"])
        .default("article"),
    )
    .addOption(limitOption())
    .addOption(seedOption())
    .addOption(reportOption())
    .addOption(new Option("--svg <file>", "write only the reliability plot"))
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples([
        "verbatim eval calibration dev-v1.1.json --index ./dev.index --limit 1000 --json",
        "verbatim eval calibration questions.jsonl --unanswerable unanswerable.jsonl --index ./my.index --reader on",
      ]),
    )
    .action(async (file: string, flags: CalibrationFlags) =>
      (await import("../calibration.js")).runCalibration(file, flags, context),
    );
  addReaderOptions(command);
}
