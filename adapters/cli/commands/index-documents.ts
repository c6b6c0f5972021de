/** `verbatim index`: indexes files and folders. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { VerbatimError } from "../../../src/errors.js";
import { documentKey } from "../../../src/index/format/content-hash.js";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../../node/documents/formats.js";
import type { ParserPool } from "../../node/documents/isolation/parser-pool.js";
import { formatBytes, isEmptyFile } from "../../node/documents/skip.js";
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
import { progressView } from "../render/index-progress.js";
import { warnWhileWaiting } from "../render/progress.js";
import { notPrunedLine, skippedLines } from "../render/skipped.js";
import { count, counted, duration } from "../render/terminal.js";

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
  indexCommand(program.command("index"))
    .summary("index files and folders")
    .description(
      "Indexes files, folders, globs and - (standard input). Run it again to pick up new, changed and renamed files; " +
        "after Ctrl-C it resumes where it stopped.",
    )
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

function indexCommand(command: Command): Command {
  return command
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
    .addOption(modelOption("auto (by the language of the documents, kept for later runs)"));
}

async function indexDocuments(paths: string[], flags: IndexFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const quiet = flags.quiet ?? false;
  if (flags.prune && flags.part !== undefined)
    throw wrongUse("--prune and --part cannot be combined.", "Run --prune without --part.");
  if (flags.to !== undefined && ((flags.level ?? "full") !== "full" || flags.lexicalFirst))
    throw wrongUse("An index in a cluster always has level full.", "Remove --level and --lexical-first.");
  if (flags.to !== undefined && (flags.thinTerms ?? flags.durability) !== undefined)
    throw wrongUse("--thin-terms and --durability are for an index in a folder.", "Remove them, or remove --to.");
  if (flags.lexicalFirst && flags.level === "lexical")
    throw wrongUse(
      "--lexical-first upgrades the index afterwards, which --level lexical does not allow.",
      "Remove one of the two options.",
    );
  if (paths.length === 0 && !flags.rebuild)
    throw wrongUse("Missing required argument: path.", "Name files or folders to index.");
  if (flags.to !== undefined && flags.rebuild)
    throw wrongUse(
      "An index in a cluster keeps its model.",
      "Index under another name with --model, and ask that index.",
    );
  const parsers = io.parsers ?? (await startedParsers());
  const { indexPaths } = await import("../../node/ingest/index-paths.js");
  const view = await progressView(io, { quiet });
  const onStop = (): void => {
    view.end();
    printLine(io.stderr, "Stopping and saving finished documents. Press Ctrl-C again to quit at once.");
  };
  io.signal.addEventListener("abort", onStop, { once: true });
  let summary: IndexPathsSummary;
  try {
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
      ...(part === undefined ? {} : { includes: (id: string) => isOfPart(partOfKey(documentKey(id)), part) }),
    };
    summary =
      to === undefined
        ? await indexPaths(paths, {
            ...options,
            index: flags.index,
            rebuild: flags.rebuild ?? false,
            onRebuild: view.raise,
            onUpgrade: view.raise,
          })
        : await (await import("./index-to-cluster.js")).indexToCluster(paths, {
            ...options,
            address: to,
            env: io.env,
            part,
            onWait: warnWhileWaiting(io, view, { quiet }),
          });
  } catch (error) {
    throw await withCommand(error, paths, { ...flags, model: flags.model ?? io.env.VERBATIM_MODEL });
  } finally {
    io.signal.removeEventListener("abort", onStop);
    if (io.parsers === undefined) parsers.close();
    view.end();
  }
  await report(summary, { ...flags, index: shownAddress(flags.to ?? flags.index), paths }, io);
  if (summary.stopped) context.setStatus(exitStatus.stopped);
  else if (handledCount(summary) === 0 && paths.length > 0) throw nothingIndexed(paths, summary);
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

/** Documents from the paths that are in the index after the run, and those that `--prune` removed. */
function handledCount({ documents, unchanged, renamed, fieldsChanged, pruned }: IndexPathsSummary): number {
  return documents + unchanged + renamed + fieldsChanged + pruned;
}

async function report(
  summary: IndexPathsSummary,
  flags: IndexFlags & { paths: readonly string[] },
  io: Io,
): Promise<void> {
  if (flags.json) {
    printLine(io.stdout, JSON.stringify(summaryObject(summary, flags.index)));
    return;
  }
  const nothing = handledCount(summary) === 0;
  const isTheError = nothing && summary.skips.length === 1 && !summary.stopped; // reported below
  if (!isTheError) for (const line of skippedLines(summary.skips, summary.skipped)) printLine(io.stderr, line);
  for (const notPruned of summary.notPruned) printLine(io.stderr, notPrunedLine(notPruned));
  if (flags.quiet) return;
  for (const line of summaryLines(summary, flags)) printLine(io.stdout, line);
  const { languages, total } = summary;
  // words alone find documents of any language
  if (total === undefined || total.level === "lexical") return;
  const { languagesLine } = await import("../render/languages.js");
  const line = await languagesLine(languages, total.model, { ...flags, documents: summary.documents });
  if (line !== undefined) printLine(io.stdout, line);
}

const OTHERS = { unchanged: "unchanged", renamed: "renamed", fieldsChanged: "with changed fields", pruned: "removed" };

function summaryLines(
  summary: IndexPathsSummary,
  { index, rebuild, lexicalFirst = false, paths }: IndexFlags & { paths: readonly string[] },
): string[] {
  const { documents, replaced, passages, phrases, seconds, tokensPerSecond, stopped, total } = summary;
  if (handledCount(summary) === 0 && !stopped && paths.length > 0) return [];
  const changed = replaced > 0 ? ` (${count(replaced)} of them changed)` : "";
  // the other levels store no phrases, and --lexical-first counts only the first pass
  const hasPhrases = (total?.level ?? "full") === "full" && !lexicalFirst;
  const counts = [`${counted(documents, "document")}${changed}`, counted(passages, "passage")];
  if (hasPhrases) counts.push(counted(phrases, "phrase"));
  const added = counts.join(", ");
  const others = (["unchanged", "renamed", "fieldsChanged", "pruned"] as const)
    .filter((what) => summary[what] > 0)
    .map((what) => `; ${counted(summary[what], "document")} ${OTHERS[what]}`);
  const { rebuilt } = summary;
  const again =
    total === undefined || rebuilt === 0 ? [] : [`Encoded ${counted(rebuilt, "document")} again with ${total.model}.`];
  const rate = `${count(tokensPerSecond)} tokens/s`;
  const lines =
    paths.length === 0 ? again : [...again, `Indexed ${added} in ${duration(seconds)} (${rate})${others.join("")}.`];
  if (paths.length === 0 && rebuilt === 0 && !stopped)
    lines.push("Everything in the index is encoded with this version of the model already.");
  if (total !== undefined) {
    const level = total.level === "full" ? "" : `, level ${total.level}`;
    const held = total.level === "full" ? `, ${counted(total.phrases, "phrase")}` : "";
    const sizes = `${counted(total.passages, "passage")}${held}, ${formatBytes(total.bytes)}${level}, model ${total.model}`;
    lines.push(`${index} now holds ${counted(total.documents, "document")}, ${sizes}.`);
  }
  // what was encoded again is kept only as a whole
  if (stopped) lines.push(`Stopped before the end. Run the same command again${rebuild ? "" : " to resume"}.`);
  return lines;
}

/** The object printed by `index --json`; docs/cli.md documents every key. */
function summaryObject(summary: IndexPathsSummary, index: string): object {
  const { documents, replaced, unchanged, passages, phrases, tokens, files, seconds, tokensPerSecond } = summary;
  const { languages, renamed, fieldsChanged, pruned, notPruned, stopped, skipped, skips, rebuilt, total } = summary;
  return {
    index,
    ...{
      files,
      documents,
      replaced,
      unchanged,
      renamed,
      fieldsChanged,
      pruned,
      notPruned,
      passages,
      phrases,
      tokens,
      seconds,
      tokensPerSecond,
      stopped,
      languages,
      rebuilt,
    },
    total: total ?? null,
    skipped,
    skips,
  };
}

function nothingIndexed(paths: readonly string[], { skips }: IndexPathsSummary): VerbatimError {
  const [only] = skips;
  if (skips.length === 1 && only?.source === "-" && isEmptyFile(only))
    return new VerbatimError(only.code, "Standard input is empty.", { hint: "Pipe text into it." });
  if (skips.length === 1 && only !== undefined) {
    return new VerbatimError(only.code, `${only.source} ${only.reason}.`, { hint: only.hint });
  }
  const message =
    skips.length === 0 ? `No files to index: ${paths.join(" ")}` : "Nothing was indexed because no file could be read.";
  return new VerbatimError("unreadable-document", message, {
    hint: `Supported formats: ${DOCUMENT_FORMATS.join(" ")}; text formats also as .gz.`,
  });
}
