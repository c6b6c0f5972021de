/** `verbatim eval reqa FILE`: the command line; `reqa.ts` measures. */

import { type Command, Option } from "commander";
import { examples, jsonOption, modelOption, threadsOption, wholeNumber, wholeNumbers } from "../../options.js";
import type { CliContext } from "../../process-io.js";
import type { ReqaFlags } from "../reqa.js";

export function registerEvalReqa(group: Command, context: CliContext): void {
  group
    .command("reqa")
    .argument(
      "<file>",
      "ReQA JSON (questions, candidates, ground_truths), or SQuAD JSON, whose sentences are the candidates",
    )
    .description(
      "Measures sentence retrieval by term weights: mean reciprocal rank and recall (0–1), compared with BM25, and by both together.",
    )
    .addOption(new Option("--context <squad-file>", "pool each sentence inside its paragraph of this SQuAD file"))
    .addOption(
      new Option("--context-only", "do not encode the sentences alone as well, which takes about as long again"),
    )
    .addOption(
      new Option(
        "--terms <n,…>",
        "keep only the n largest term weights of a sentence; with several numbers, measures each, and all weights",
      ).argParser(wholeNumbers(1, 1_000_000)),
    )
    .addOption(
      new Option(
        "--limit <n>",
        "use this many paragraphs of a SQuAD file, drawn with a fixed seed: fewer candidates are easier",
      ).argParser(wholeNumber(1, 10_000_000)),
    )
    .addOption(new Option("--bm25", "measure only BM25, without a model"))
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples([
        "verbatim eval reqa squad-test.json --context dev-v1.1.json --json",
        "verbatim eval reqa drcd-dev.json --bm25",
        "verbatim eval reqa drcd-dev.json --model multi --context-only",
      ]),
    )
    .action(async (file: string, flags: ReqaFlags) => (await import("../reqa.js")).runReqa(file, flags, context));
}
