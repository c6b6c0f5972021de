/** The summary of `verbatim index`: what was indexed, what was skipped, and what the index contains now. */

import { VerbatimError } from "../../../src/errors.js";
import { DOCUMENT_FORMATS } from "../../node/documents/formats.js";
import { formatBytes, isEmptyFile } from "../../node/documents/skip.js";
import type { IndexPathsSummary } from "../../node/ingest/index-paths.js";
import { type Io, printLine } from "../process-io.js";
import { notPrunedLine, skippedLines } from "./skipped.js";
import { count, counted, duration } from "./terminal.js";

/** What was indexed, where, and how it is printed. */
interface SummaryFlags {
  paths: readonly string[];
  /** The folder or address, as it is shown. */
  index: string;
  rebuild?: boolean;
  lexicalFirst?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** Documents from the paths that are in the index after the run, and those that `--prune` removed. */
export function handledCount({ documents, unchanged, renamed, fieldsChanged, pruned }: IndexPathsSummary): number {
  return documents + unchanged + renamed + fieldsChanged + pruned;
}

/** Prints what was indexed and skipped, as text or as one JSON object. */
export async function printIndexSummary(summary: IndexPathsSummary, flags: SummaryFlags, io: Io): Promise<void> {
  if (flags.json) {
    printLine(io.stdout, JSON.stringify(summaryObject(summary, flags.index)));
    return;
  }
  const nothing = handledCount(summary) === 0;
  const isTheError = nothing && summary.skips.length === 1 && !summary.stopped; // see `nothingIndexed`
  if (!isTheError) for (const line of skippedLines(summary.skips, summary.skipped)) printLine(io.stderr, line);
  for (const notPruned of summary.notPruned) printLine(io.stderr, notPrunedLine(notPruned));
  if (flags.quiet) return;
  for (const line of summaryLines(summary, flags)) printLine(io.stdout, line);
  const { languages, total } = summary;
  // words alone find documents of any language
  if (total === undefined || total.level === "lexical") return;
  const { languagesLine } = await import("./languages.js");
  const line = await languagesLine(languages, total.model, { ...flags, documents: summary.documents });
  if (line !== undefined) printLine(io.stdout, line);
}

const OTHERS = { unchanged: "unchanged", renamed: "renamed", fieldsChanged: "with changed fields", pruned: "removed" };

function summaryLines(
  summary: IndexPathsSummary,
  { index, rebuild, lexicalFirst = false, paths }: SummaryFlags,
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
    total: total ?? null,
    skipped,
    skips,
  };
}

/** The error for a run that indexed nothing and was not stopped. */
export function nothingIndexed(paths: readonly string[], { skips }: IndexPathsSummary): VerbatimError {
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
