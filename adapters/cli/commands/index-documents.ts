/** `verbatim index`: indexes files and folders. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { VerbatimError } from "../../../src/errors.js";
import { documentKey } from "../../../src/index/format/content-hash.js";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../../node/documents/formats.js";
import type { ParserPool } from "../../node/documents/isolation/parser-pool.js";
import type { IndexPathsProgress, IndexPathsSummary } from "../../node/ingest/index-paths.js";
import { shownAddress } from "../../opensearch/address.js";
import { isOfPart, type Part, partOfKey } from "../../opensearch/partition.js";
import { wrongUse } from "../errors.js";
import {
  durabilityOption,
  type EncodingFlags,
  encodingOf,
  examples,
  indexOption,
  jsonOption,
  levelOption,
  modelOption,
  noneEmpty,
  ocrOption,
  thinTermsOption,
  threadsOption,
} from "../options.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { type Fields, fieldOption } from "../render/fields.js";
import { type ProgressView, progressView } from "../render/index-progress.js";
import { handledCount, nothingIndexed, printIndexSummary } from "../render/index-summary.js";
import { mergeFailedLine } from "../render/merge-failed.js";
import { warnWhileWaiting } from "../render/progress.js";

interface IndexFlags extends EncodingFlags {
  to?: string;
  part?: Part;
  format?: DocumentFormat;
  ocr?: boolean;
  lexicalFirst?: boolean;
  rebuild?: boolean;
  quiet?: boolean;
  field?: Fields;
  prune?: boolean;
}

export function registerIndex(program: Command, context: CliContext): void {
  program
    .command("index")
    .summary("index files and folders")
    .description(
      "Indexes files, folders, globs and - (standard input). Run it again to pick up new, changed and renamed files; " +
        "after Ctrl-C it resumes where it stopped.",
    )
    .argument(
      "[path...]",
      "files of any supported format (see --format; text formats also as .gz), and folders of them",
      noneEmpty,
    )
    .addOption(new Option("--to <address>", "write to a cluster instead of a folder: opensearch://HOST:9200/NAME"))
    .addOption(
      indexOption("index", {
        message: "--index takes a folder, not the address of a cluster.",
        hint: "Use --to: verbatim index PATH --to ADDRESS",
      }),
    )
    .addOption(
      new Option("--format <name>", "read every file as this format (default: detected from name and content)").choices(
        DOCUMENT_FORMATS,
      ),
    )
    .addOption(ocrOption())
    .addOption(levelOption("how much is stored per passage, for a new index (default: full)"))
    .addOption(thinTermsOption())
    .addOption(
      new Option(
        "--lexical-first",
        "index everything at level lexical first, so that you can ask right away, then upgrade it",
      ),
    )
    .addOption(
      new Option(
        "--rebuild",
        "first encode everything in the index again, with --model, or with the installed version of its own model",
      ),
    )
    .addOption(fieldOption())
    .addOption(new Option("--prune", "remove documents whose files below these paths are gone, empty or ignored now"))
    .addOption(durabilityOption())
    .addOption(threadsOption())
    .addOption(jsonOption())
    .addOption(new Option("--quiet", "print no progress and no summary; skipped files are still reported"))
    .addOption(modelOption("auto (by the language of the documents, kept for later runs)"))
    .addOption(partOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim index ~/notes ~/papers/*.pdf --index ./my.index",
        "verbatim index 'docs/**/*.md'",
        "verbatim index ~/notes --prune --field owner=ana --field year=2026",
        "verbatim index ~/notes --level thin          # a fifth of the size",
        "verbatim index ~/dokumente --model multi     # documents in languages other than English",
        "verbatim index ~/notes --model multi --rebuild   # switch the index to another model",
        "verbatim index ~/archive --lexical-first     # answers within seconds, better ones later",
        "gunzip -c articles.jsonl.gz | verbatim index - --format jsonl",
        "verbatim index ~/notes --to opensearch://localhost:9200/notes",
        "verbatim index articles.jsonl --part 3/16 --to opensearch://search:9200/articles   # worker 3 of 16",
      ])}${STATUSES}`,
    )
    .action((paths: string[] | undefined, flags: IndexFlags, command: Command) => {
      if (flags.to !== undefined && command.getOptionValueSource("index") === "cli")
        throw wrongUse("--index and --to cannot be combined.", "Use --index for a folder, or --to for a cluster.");
      return indexDocuments(paths ?? [], flags, context);
    });
}

const STATUSES = "\nExit status: 0 indexed, 2 usage error, 3 nothing to index or unusable index, 130 stopped.\n";

function partOption(): Option {
  return new Option("--part <i/n>", "index only part i of n of the documents, split by their ids").argParser(
    (value) => {
      const [, i, n] = /^(\d{1,4})\/(\d{1,4})$/.exec(value) ?? [];
      if (i !== undefined && Number(i) >= 1 && Number(i) <= Number(n)) return { i: Number(i) - 1, n: Number(n) };
      throw new InvalidArgumentError("Write part 3 of 16 as 3/16.");
    },
  );
}

async function indexDocuments(paths: string[], flags: IndexFlags, context: CliContext): Promise<void> {
  checkFlags(paths, flags);
  const { io } = context;
  const quiet = flags.quiet ?? false;
  const parsers = io.parsers ?? (await startedParsers());
  const view = await progressView(io, { quiet });
  const onStop = (): void => {
    view.end();
    printLine(io.stderr, "Stopping and saving finished documents. Press Ctrl-C again to quit at once.");
  };
  io.signal.addEventListener("abort", onStop, { once: true });
  let summary: IndexPathsSummary;
  try {
    summary = await indexInto(paths, flags, { io, parsers, view });
  } catch (error) {
    throw await withCommand(error, paths, { ...flags, model: flags.model ?? io.env.VERBATIM_MODEL });
  } finally {
    io.signal.removeEventListener("abort", onStop);
    if (io.parsers === undefined) parsers.close();
    view.end();
  }
  await printIndexSummary(summary, { ...flags, index: shownAddress(flags.to ?? flags.index), paths }, io);
  if (summary.stopped) context.setStatus(exitStatus.stopped);
  else if (handledCount(summary) === 0 && paths.length > 0) throw nothingIndexed(paths, summary);
}

/** @throws VerbatimError `invalid-argument` for flags that cannot be combined, or no path */
function checkFlags(paths: readonly string[], flags: IndexFlags): void {
  const intoCluster = flags.to !== undefined;
  if (flags.prune && flags.part !== undefined)
    throw wrongUse("--prune and --part cannot be combined.", "Run --prune without --part.");
  if (intoCluster && ((flags.level ?? "full") !== "full" || flags.lexicalFirst))
    throw wrongUse("An index in a cluster always has level full.", "Remove --level and --lexical-first.");
  if (intoCluster && (flags.thinTerms !== undefined || flags.durability !== undefined))
    throw wrongUse("--thin-terms and --durability are for an index in a folder.", "Remove them, or remove --to.");
  if (flags.lexicalFirst && flags.level === "lexical")
    throw wrongUse(
      "--lexical-first upgrades the index afterwards, which --level lexical does not allow.",
      "Remove one of the two options.",
    );
  if (paths.length === 0 && !flags.rebuild)
    throw wrongUse("Missing required argument: path.", "Name files or folders to index.");
  if (intoCluster && flags.rebuild)
    throw wrongUse(
      "An index in a cluster keeps its model.",
      "Index under another name with --model, and ask that index.",
    );
}

/** Indexes the paths into the folder or the cluster that the flags name. */
async function indexInto(
  paths: string[],
  flags: IndexFlags,
  { io, parsers, view }: { io: Io; parsers: ParserPool; view: ProgressView },
): Promise<IndexPathsSummary> {
  const { to, part } = flags;
  const options = {
    ...encodingOf(flags, io),
    format: flags.format,
    ocr: flags.ocr ?? false,
    lexicalFirst: flags.lexicalFirst ?? false,
    fields: flags.field,
    parsers,
    prune: flags.prune ?? false,
    cwd: io.cwd,
    stdin: io.stdin as AsyncIterable<Uint8Array>,
    signal: io.signal,
    onProgress: (progress: IndexPathsProgress) => view.show(progress),
    includes: part && ((id: string) => isOfPart(partOfKey(documentKey(id)), part)),
  };
  if (to === undefined) {
    const { indexPaths } = await import("../../node/ingest/index-paths.js");
    return indexPaths(paths, {
      ...options,
      index: flags.index,
      rebuild: flags.rebuild ?? false,
      onRebuild: view.showUpgrade,
      onUpgrade: view.showUpgrade,
      onMergeError: (error) => {
        view.end();
        printLine(io.stderr, `verbatim: ${mergeFailedLine(error)}`);
      },
    });
  }
  const { indexToCluster } = await import("./index-to-cluster.js");
  const onWait = warnWhileWaiting(io, view, { quiet: flags.quiet ?? false });
  return indexToCluster(paths, { ...options, address: to, env: io.env, part, onWait });
}

/** A mismatch of models is reported with the command that indexes the paths with the named one. */
async function withCommand(
  error: unknown,
  paths: readonly string[],
  { index, to, model }: IndexFlags,
): Promise<unknown> {
  if (!(error instanceof VerbatimError) || error.code !== "model-mismatch" || to !== undefined || !model) return error;
  const { changeModelCommand } = await import("../render/languages.js");
  const { message, found, expected, cause } = error;
  const hint = `Leave --model out, or change the model, which encodes everything again: ${changeModelCommand({ paths, index }, model)}`;
  return new VerbatimError("model-mismatch", message, { found, expected, cause, hint });
}

async function startedParsers(): Promise<ParserPool> {
  const { ParserPool } = await import("../../node/documents/isolation/parser-pool.js");
  const parsers = new ParserPool();
  parsers.warmUp(); // the first process starts while the other modules are loaded
  return parsers;
}
