/** `npm run papers`: the command line. */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { examples, threadsOption, wholeNumber } from "../../adapters/cli/options.js";
import type { Io } from "../../adapters/cli/process-io.js";
import { machineKind } from "../support/results.js";
import { Models, type PapersContext } from "./context.js";
import { CORPUS_KEYS } from "./corpora.js";
import { DataFiles } from "./data-files.js";
import { PartStore } from "./part-store.js";
import { runTables } from "./run.js";
import { TABLES } from "./tables.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Flags {
  data: string;
  only?: string[];
  sample?: number;
  resume?: boolean;
  work: string;
  docs: string;
  model?: string;
  readerModel?: string;
  multilingualReader?: string;
  base?: string;
  python: string;
  lucene?: string;
  questions?: number;
  smallest?: string;
  largest?: string;
  threads?: number;
}

const names = TABLES.map(({ name }) => name);
const program = new Command("npm run papers --")
  .description("Reproduces the papers' tables: measures, and writes docs/results/<table>.json and docs/results.md.")
  .requiredOption("--data <dir>", "folder with squad/, reqa/, open/, corpora/, other/ and zh/")
  .addOption(new Option("--only <name...>", "measure only these tables").choices(names))
  .addOption(
    new Option(
      "--sample <n>",
      "n questions per set over a proportionally smaller corpus; every figure says so",
    ).argParser(wholeNumber(1, 1_000_000)),
  )
  .option(
    "--resume",
    "keep the parts that an earlier run finished with the same models and data (a sample: those of a full run too)",
  )
  .option("--work <dir>", "folder for indexes and finished parts", resolve(root, "bench/work/papers"))
  .option("--docs <dir>", "folder that receives results.md and results/", resolve(root, "docs"))
  .option("--model <dir>", "folder of the encoder (default: the one that ships)")
  .option("--reader-model <dir>", "folder of the reader (default: the one that ships)")
  .option("--multilingual-reader <dir>", "folder of the multilingual reader (default: the one that ships)")
  .addOption(
    new Option(
      "--questions <n>",
      "at most n questions per set over the whole corpus, of open, scaling, strategies, engines and sizes",
    ).argParser(wholeNumber(1, 1_000_000)),
  )
  .addOption(
    new Option("--largest <corpus>", "the largest corpus of open, scaling, strategies, engines and sizes").choices(
      CORPUS_KEYS,
    ),
  )
  .addOption(
    new Option("--smallest <corpus>", "the smallest corpus of scaling; rows over others are kept").choices(CORPUS_KEYS),
  )
  .option(
    "--base <dir>",
    "folder of all-MiniLM-L6-v2: adds its sentence vectors to rankings (training/base.py prints it)",
  )
  .option("--python <command>", "a Python with torch and transformers for --base, faiss and Seismic", "python3")
  .option("--lucene <dir>", "folder of Lucene's jars: adds Lucene to engines and sizes")
  .addOption(threadsOption())
  .addHelpText(
    "after",
    examples([
      "npm run papers -- --data ../data --sample 20",
      "npm run papers -- --data ../data --only squad sentences",
      "npm run papers -- --data ../data --resume",
      "npm run papers -- --data ../data --only open --largest simplewiki-52000 --questions 300",
      "npm run papers -- --data ../data --only scaling --smallest enwiki --resume",
    ]),
  );
const flags = program.parse().opts<Flags>();

const controller = new AbortController();
process.once("SIGINT", () => controller.abort());
process.once("SIGTERM", () => controller.abort());
const { stdout, stderr, stdin, env } = process;
const io: Io = { stdout, stderr, stdin, cwd: process.cwd(), env, signal: controller.signal };
const log = (line: string): void => void stderr.write(`${line}\n`);
const { threads, sample, questions, smallest, largest, python } = flags;
const models = new Models({ encoder: flags.model, model: "en", reader: flags.readerModel, threads });
const multilingual = new Models({ model: "multi", reader: flags.multilingualReader, threads });
const context: PapersContext = {
  data: new DataFiles(resolve(flags.data)),
  parts: new PartStore(resolve(flags.work, "parts"), { resume: flags.resume ?? false, sample, questions }),
  models,
  multilingual,
  base: flags.base === undefined ? undefined : resolve(flags.base),
  python,
  lucene: flags.lucene === undefined ? undefined : resolve(flags.lucene),
  work: resolve(flags.work),
  sample,
  questions,
  smallest,
  largest,
  machine: machineKind(),
  io,
  log,
};
const tables = TABLES.filter(({ name }) => flags.only?.includes(name) ?? true);
/** Options that decide what is measured, as the page repeats them. */
const repeated = [
  ...(questions === undefined ? [] : [`--questions ${questions}`]),
  ...(smallest === undefined ? [] : [`--smallest ${smallest}`]),
  ...(largest === undefined ? [] : [`--largest ${largest}`]),
  ...(flags.base === undefined ? [] : ["--base DIR"]),
  ...(flags.lucene === undefined ? [] : ["--lucene DIR"]),
];
try {
  const command = (name: string, isSample: boolean): string => {
    const size = isSample && sample !== undefined ? [`--sample ${sample}`] : [];
    return ["npm run papers -- --data DIR --only", name, ...size, ...repeated].join(" ");
  };
  const skipped = await runTables(tables, context, { docs: resolve(flags.docs), command });
  if (skipped.length > 0) {
    log(`Skipped: ${skipped.join(", ")}. Fix what is missing and run again with --resume.`);
    process.exitCode = 3;
  }
} catch (error) {
  if (!controller.signal.aborted) throw error;
  log("Stopped. Finished parts are kept: run the same command with --resume.");
  process.exitCode = 130;
} finally {
  await models.close();
  await multilingual.close();
}
