/** `verbatim eval …`: measurements on question sets. The scorers are in src/evaluate. */

import type { Command } from "commander";
import { examples } from "../options.js";
import type { CliContext } from "../process-io.js";
import { registerEvalBeir } from "./commands/beir.js";
import { registerEvalCalibration } from "./commands/calibration.js";
import { registerEvalOpen } from "./commands/open.js";
import { registerEvalReqa } from "./commands/reqa.js";
import { registerEvalSquad } from "./commands/squad.js";

export function registerEval(program: Command, context: CliContext): void {
  const group = program
    .command("eval")
    .summary("measure on question sets")
    .description("Measures exact match, F1 and ranks on question sets, published ones or your own.")
    .addHelpText(
      "after",
      examples(["verbatim eval open questions.jsonl --index ./my.index", "verbatim eval open --help"]),
    );
  registerEvalSquad(group, context);
  registerEvalReqa(group, context);
  registerEvalBeir(group, context);
  registerEvalOpen(group, context);
  registerEvalCalibration(group, context);
}
