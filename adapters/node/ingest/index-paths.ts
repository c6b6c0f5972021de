/** Paths → a committed index: lists, reads, encodes and commits; an interrupted run can be resumed. */

import { rm, rmdir } from "node:fs/promises";
import { resolve } from "node:path";
import { rebuildIndex } from "../../../src/api/rebuild-index.js";
import { openWriter, type Writer } from "../../../src/api/writer.js";
import type { Encoder } from "../../../src/encode/types.js";
import { hasCode, VerbatimError } from "../../../src/errors.js";
import type { IndexLevel } from "../../../src/index/format/level.js";
import type { UpgradeProgress } from "../../../src/index/write/upgrade.js";
import { noProgress } from "../../../src/ingest/ingest.js";
import { formatsByName } from "../documents/detect-format.js";
import type { DocumentFormat } from "../documents/formats.js";
import type { InputFile, SkippedInput } from "../documents/input.js";
import { ParserPool } from "../documents/isolation/parser-pool.js";
import { hasIndex, type IndexTotals, readTotals, refuseFolderOfFiles, requireIndex } from "../index-info.js";
import { type ModelOptions, madeWith } from "../models/choice.js";
import { openEncoder } from "../models/encoder/encoder.js";
import { FileStorage } from "../storage/file-storage.js";
import { ocrCacheOf } from "../storage/side-folders.js";
import { chooseModel } from "./choose-model.js";
import { type InputCounts, type InputOptions, indexInputs } from "./index-inputs.js";
import { listOutside, requirePaths } from "./list-outside.js";

export type { DocumentChange, IndexPathsProgress } from "./index-inputs.js";

/**
 * The model is not opened when `encoder` is given. "auto" keeps the model of an index, and chooses that of a new one by
 * the language of a sample: English, or the multilingual one if that is installed.
 */
export interface IndexPathsOptions extends InputOptions, ModelOptions {
  /** Folder of the index; created if it is missing. */
  index: string;
  /** Encoder threads, 1…64; default: one per core, at most 64. */
  threads?: number;
  /** An encoder to use; the caller closes it. */
  encoder?: Encoder;
  /** How much of each passage is kept in a new index; an existing one keeps its level. Default "full". */
  level?: IndexLevel;
  /** Term weights kept of a passage at level "thin". Default 64. */
  thinTerms?: number;
  /**
   * Index everything at level "lexical" first, which can be searched soon, then raise it to the index's level.
   * Default false.
   */
  lexicalFirst?: boolean;
  /**
   * First encode everything that the index holds again, from its stored texts, if another model or another version of
   * it made the index; without paths, nothing else. Default false: such an index is refused.
   */
  rebuild?: boolean;
  /** Called while the index is encoded again. */
  onRebuild?: (progress: UpgradeProgress) => void;
  /** Called while the level is raised. */
  onUpgrade?: (progress: UpgradeProgress) => void;
  /** "relaxed" does not wait for the disk: docs/durability.md says what that risks. Default "full". */
  durability?: "full" | "relaxed";
  /** Called once for each file or record that was not read. */
  onSkip?: (skip: SkippedInput) => void;
  /** Called when a merge in the background fails. Nothing is lost, and the next commit tries again. */
  onMergeError?: (error: unknown) => void;
}

export interface IndexPathsSummary extends InputCounts {
  seconds: number;
  tokensPerSecond: number;
  skips: SkippedInput[];
  /** Documents that were encoded again with another model, because of `rebuild`. */
  rebuilt: number;
  /** What the index holds now, or undefined when there is still none. */
  total: IndexTotals | undefined;
}

export async function indexPaths(paths: readonly string[], options: IndexPathsOptions): Promise<IndexPathsSummary> {
  const { signal, cwd = process.cwd() } = options;
  const folder = resolve(cwd, options.index);
  requirePaths(paths, { index: folder, cwd });
  if (paths.length === 0 && !options.rebuild)
    throw new VerbatimError("invalid-argument", "No path was given.", { hint: "Name a file or a folder." });
  const started = performance.now();
  if (paths.length === 0) await requireIndex(folder, options.index);
  const skips: SkippedInput[] = [];
  const onSkip = (skip: SkippedInput): void => {
    skips.push(skip);
    options.onSkip?.(skip);
  };
  const storage = new FileStorage(folder);
  const existed = await storage.exists();
  const inputs = await listOutside(folder, paths, { cwd, signal, onSkip });
  const changes = inputs.length > 0 || options.rebuild || (options.prune && (await hasIndex(folder)));
  const { counts, rebuilt } = changes
    ? await indexWithOwnParts({ storage, folder, cwd, paths, inputs, existed, onSkip, options })
    : { counts: NO_COUNTS, rebuilt: 0 };
  const total = await readTotals(storage);
  if (total === undefined && !existed) await removeEmpty(folder);
  const seconds = (performance.now() - started) / 1000;
  const skipped = skips.reduce((sum, skip) => sum + (skip.count ?? 1), 0);
  return { ...counts, skipped, seconds, tokensPerSecond: counts.tokens / seconds, skips, rebuilt, total };
}

interface IndexTask {
  storage: FileStorage;
  /** Folder of the index. */
  folder: string;
  cwd: string;
  paths: readonly string[];
  inputs: readonly InputFile[];
  /** There was an index before. */
  existed: boolean;
  onSkip: (skip: SkippedInput) => void;
  options: IndexPathsOptions;
}

interface IndexOutcome {
  counts: InputCounts;
  /** Number of documents that were encoded again. */
  rebuilt: number;
}

/** Opens the parsers and the encoder that `options` does not have, and closes them. */
async function indexWithOwnParts(task: IndexTask): Promise<IndexOutcome> {
  const { folder, cwd, inputs, options } = task;
  await refuseFolderOfFiles(folder, options.index);
  const parsers = options.parsers ?? new ParserPool();
  parsers.warmUp(firstFormats(inputs, options.format)); // it starts while the model is loaded
  const { modelFolder, stdin } =
    options.encoder === undefined
      ? await chooseModel(inputs, { ...options, cwd, index: folder, parsers, anyVersion: options.rebuild })
      : { modelFolder: undefined, stdin: options.stdin };
  const encoder = options.encoder ?? (await openEncoder({ modelFolder, threads: options.threads }));
  try {
    return await indexWith(encoder, { ...task, options: { ...options, stdin, parsers } });
  } finally {
    if (options.encoder === undefined) await encoder.close();
    if (options.parsers === undefined) parsers.close();
  }
}

async function indexWith(encoder: Encoder, task: IndexTask): Promise<IndexOutcome> {
  const { storage, folder, paths, inputs, existed, onSkip, options } = task;
  const { rebuilt, stopped } = options.rebuild
    ? await rebuild(storage, folder, { encoder, options })
    : { rebuilt: 0, stopped: false };
  if (stopped) return { counts: { ...NO_COUNTS, stopped }, rebuilt };
  const { durability, level, thinTerms, onMergeError, signal } = options;
  const addedLevel = options.lexicalFirst ? "lexical" : undefined;
  const levels = { level: level ?? (addedLevel && !existed ? "full" : undefined), thinTerms, addedLevel } as const;
  const writer = await openWriter({ storage, encoder, ...levels, durability, onMergeError, signal });
  try {
    const listed = new Set(inputs.map((input) => input.absolutePath));
    const counts = await indexInputs(
      { inputs, listed, paths, options, onSkip, ocrCache: ocrCacheOf(folder), commitsMeanwhile: true },
      writer,
    );
    const upgrades = addedLevel !== undefined && !counts.stopped;
    return { counts: upgrades ? await upgrade(writer, { counts, options }) : counts, rebuilt };
  } finally {
    await writer.close();
  }
}

/** Leaves no folder where nothing was indexed. */
async function removeEmpty(folder: string): Promise<void> {
  await rm(ocrCacheOf(folder), { recursive: true, force: true });
  await rmdir(folder).catch(() => {});
}

/** Files whose names say which parsers a run needs soon. */
const FIRST_FILES = 100;

function firstFormats(inputs: readonly InputFile[], format: DocumentFormat | undefined): DocumentFormat[] {
  if (format !== undefined) return [format];
  return formatsByName(inputs.slice(0, FIRST_FILES).map(({ path }) => path));
}

/** `rebuilt`: the number of documents that were encoded again; `stopped`: before all of them were. */
async function rebuild(
  storage: FileStorage,
  folder: string,
  { encoder, options }: { encoder: Encoder; options: IndexPathsOptions },
): Promise<{ rebuilt: number; stopped: boolean }> {
  if (!(await hasIndex(folder)) || (await madeWith(folder))?.passageModelHash === encoder.info.passageModelHash)
    return { rebuilt: 0, stopped: false };
  const { durability, signal, onRebuild } = options;
  try {
    const { documents } = await rebuildIndex(storage, { encoder, durability, signal, onProgress: onRebuild });
    return { rebuilt: documents, stopped: false };
  } catch (error) {
    if (signal?.aborted && hasCode(error, "aborted")) return { rebuilt: 0, stopped: true };
    throw error;
  }
}

/** Upgrades what was indexed at a lower level first to the level of the index. */
async function upgrade(
  writer: Writer,
  { counts, options }: { counts: InputCounts; options: IndexPathsOptions },
): Promise<InputCounts> {
  const { signal, onUpgrade } = options;
  try {
    await writer.upgrade({ level: writer.level, signal, onProgress: onUpgrade });
    return counts;
  } catch (error) {
    if (signal?.aborted && hasCode(error, "aborted")) return { ...counts, stopped: true };
    throw error;
  }
}

export const NO_COUNTS: InputCounts = {
  ...noProgress(),
  languages: {},
  files: 0,
  renamed: 0,
  fieldsChanged: 0,
  pruned: 0,
  notPruned: [],
  stopped: false,
};
