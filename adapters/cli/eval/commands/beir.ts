/** `verbatim eval beir FOLDER`: the command line; `beir.ts` measures. */

import { type Command, Option } from "commander";
import { examples, indexOption, jsonOption, modelOption, threadsOption } from "../../options.js";
import type { CliContext } from "../../process-io.js";
import type { BeirFlags } from "../beir.js";
import { limitOption } from "./options.js";

export function registerEvalBeir(group: Command, context: CliContext): void {
  group
    .command("beir")
    .argument("<folder>", "folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/<split>.tsv")
    .description(
      "Measures document retrieval: nDCG@10, recall@100 and MRR@10 (0–1) by term weights, by tf-idf, by passage vectors, by all parts together, and by BM25.",
    )
    .addOption(indexOption("eval beir"))
    .addOption(new Option("--split <name>", "judgements in qrels/<name>.tsv").default("test"))
    .addOption(limitOption())
    .addOption(new Option("--run <file>", "write a TREC run file (with strictly decreasing scores)"))
    .addOption(
      new Option("--method <name>", "method whose ranking is written to the run file")
        .choices(["all", "terms", "tfidf", "vector", "bm25"])
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
    .action(async (folder: string, flags: BeirFlags) => (await import("../beir.js")).runBeir(folder, flags, context));
}
