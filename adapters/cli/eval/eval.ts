/** `verbatim eval …`: measures on published question sets; the scorers are in src/evaluate. */

import { type Command, Option } from "commander";
import { wrongUse } from "../errors.js";
import {
  candidatesOption,
  examples,
  indexOption,
  jsonOption,
  modelOption,
  type ReaderFlags,
  readerOptions,
  STRATEGIES,
  threadsOption,
  wholeNumber,
  wholeNumbers,
} from "../options.js";
import type { CliContext } from "../process-io.js";
import type { BeirFlags } from "./beir.js";
import type { CalibrationFlags } from "./calibration.js";
import type { OpenFlags } from "./open.js";
import { reportOption } from "./report/write.js";
import type { ReqaFlags } from "./reqa.js";
import type { SquadFlags } from "./squad.js";

/** Those whose answers have a confidence. */
const SEARCHES = STRATEGIES.filter((name) => name !== "sparta-reader" && name !== "lexical");

export function registerEval(program: Command, context: CliContext): void {
  const group = program
    .command("eval")
    .summary("measure on question sets")
    .description("Measures exact match, F1 and ranks on published question sets.");
  const limit = (): Option => new Option("--limit <n>", "only so many questions").argParser(wholeNumber(1, 10_000_000));

  const seed = (): Option =>
    new Option("--seed <n>", "of the drawn questions and the intervals").argParser(wholeNumber(0, 2 ** 31)).default(1);
  const withReader = (command: Command): void => {
    for (const option of readerOptions()) command.addOption(option);
  };

  const squad = group
    .command("squad")
    .argument("<file>", "SQuAD JSON (v1.1 or v2.0)")
    .description(
      "The paragraph is given: exact match and F1 (0–100) of the best span, and the same without n-grams; or, with --reader on, of the reader.",
    )
    .addOption(limit())
    .addOption(new Option("--stored", "score only what an index stores: the filter's rows, the largest n-gram weights"))
    .addOption(reportOption())
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples(["verbatim eval squad dev-v1.1.json", "verbatim eval squad dev-v2.0.json --reader on --json"]),
    )
    .action(async (file: string, flags: SquadFlags & ReaderFlags) => {
      if (flags.reader === "on") await (await import("./squad-reader.js")).runSquadReader(file, flags, context);
      else if (flags.reader === "auto") {
        throw wrongUse("--reader auto has nothing to decide where the paragraph is given.", "Give --reader on or off.");
      } else await (await import("./squad.js")).runSquad(file, flags, context);
    });
  withReader(squad);

  group
    .command("reqa")
    .argument("<file>", "ReQA JSON: questions, candidates, ground_truths")
    .description("Sentence retrieval by term weights: mean reciprocal rank and recall (0–1), BM25 beside it.")
    .addOption(new Option("--context <squad-file>", "pool each sentence inside its paragraph of this SQuAD file"))
    .addOption(
      new Option(
        "--terms <n,…>",
        "keep only the n largest term weights of a sentence; several numbers: figures for each beside those of all",
      ).argParser(wholeNumbers(1, 1_000_000)),
    )
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText("after", examples(["verbatim eval reqa squad-test.json --context dev-v1.1.json --json"]))
    .action(async (file: string, flags: ReqaFlags) => (await import("./reqa.js")).runReqa(file, flags, context));

  group
    .command("beir")
    .argument("<folder>", "in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/<split>.tsv")
    .description(
      "Retrieval of documents: nDCG@10, recall@100 and MRR@10 (0–1) by term weights, tf-idf, all together, and BM25 beside them.",
    )
    .addOption(indexOption())
    .addOption(new Option("--split <name>", "judgements in qrels/<name>.tsv").default("test"))
    .addOption(limit())
    .addOption(new Option("--run <file>", "write a TREC run file (scores fall strictly)"))
    .addOption(
      new Option("--method <name>", "whose ranking the run file has")
        .choices(["all", "terms", "tfidf", "bm25"])
        .default("all"),
    )
    .addOption(jsonOption())
    .addOption(modelOption())
    .addOption(threadsOption())
    .addHelpText(
      "after",
      examples([
        "verbatim index scifact/corpus.jsonl --index ./scifact.index",
        "verbatim eval beir scifact --index ./scifact.index --run scifact.run --json",
      ]),
    )
    .action(async (folder: string, flags: BeirFlags) => (await import("./beir.js")).runBeir(folder, flags, context));

  const open = group
    .command("open")
    .argument("<questions>", "SQuAD JSON, or lines of {id, question, answers | answer_regex}")
    .description("Asks a whole index: exact match and F1 with 95 % intervals, recall of answers and passages, times.")
    .addOption(indexOption())
    .addOption(
      new Option("--strategy <name>", "how candidates are found")
        .choices(STRATEGIES)
        .default(undefined, "by the index's level"),
    )
    .addOption(
      new Option("--compare <name>", "a second strategy, without the reader, compared question by question").choices(
        STRATEGIES,
      ),
    )
    .addOption(candidatesOption())
    .addOption(limit())
    .addOption(seed())
    .addOption(
      new Option("--top-k <n>", "answers asked for; times are for so many").argParser(wholeNumber(1, 1000)).default(50),
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
      ]),
    )
    .action(async (file: string, flags: OpenFlags) => (await import("./open.js")).runOpen(file, flags, context));
  withReader(open);

  const calibration = group
    .command("calibration")
    .argument("<questions>", "SQuAD JSON, or lines of {id, question, answers | answer_regex}")
    .description(
      "Are confidences honest? Expected calibration error (15 bins), AUROC of answerable against unanswerable questions, reliability.",
    )
    .addOption(indexOption())
    .addOption(new Option("--strategy <name>", "how candidates are found").choices(SEARCHES).default("hybrid"))
    .addOption(
      new Option(
        "--unanswerable <file>",
        "questions that the index cannot answer, lines of {id, question}; default: the same ones, asked of less (--away)",
      ),
    )
    .addOption(
      new Option(
        "--away <what>",
        "without --unanswerable: what a question is asked without, its own article or passage",
      )
        .choices(["article", "passage"])
        .default("article"),
    )
    .addOption(limit())
    .addOption(seed())
    .addOption(reportOption())
    .addOption(new Option("--svg <file>", "write the reliability plot alone"))
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
      (await import("./calibration.js")).runCalibration(file, flags, context),
    );
  withReader(calibration);
}
