/** Paths in, a committed index out: lists, reads, encodes, commits; stops cleanly and goes on where it stopped. */

import { rmdir } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { Encoder } from "../../src/encode/types.js";
import { openWriter, type Writer } from "../../src/engine.js";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { TermUnit } from "../../src/index/types.js";
import type { IngestProgress } from "../../src/ingest.js";
import type { Document } from "../../src/types.js";
import { ByteProgress } from "./byte-progress.js";
import type { DocumentFormat, InputFile, SkippedInput } from "./documents/input.js";
import { readDocuments } from "./documents/read-documents.js";
import { listInputs } from "./documents/walk.js";
import { openEncoder } from "./encoder/encoder.js";
import { type IndexTotals, readTotals } from "./index-totals.js";
import { FileStorage } from "./storage.js";

export interface IndexPathsProgress extends IngestProgress {
  /** Files read to their end, and files found. */
  files: number;
  filesTotal: number;
  /** Bytes of the files dealt with so far, and of all files found; 0 in all when standard input is the only one. */
  bytes: number;
  bytesTotal: number;
  seconds: number;
  tokensPerSecond: number;
  /** By bytes, from the speed so far; undefined until there is one, and with standard input. */
  secondsLeft: number | undefined;
}

export interface IndexPathsOptions {
  /** Folder of the index; made when it is missing. */
  index: string;
  /** Default: the model that ships with the package. Not read when `encoder` is given. */
  modelFolder?: string;
  /** Encoder threads, 1…64; default: one a core. */
  threads?: number;
  /** An encoder to use; it stays the caller's to close. */
  encoder?: Encoder;
  /** Read every file as this, whatever it is called. Default: by its ending, else by its content. */
  format?: DocumentFormat;
  /** What one unit of the term postings is, for a new index. Default "passage". */
  unit?: TermUnit;
  /** Folder that relative paths and document ids are relative to. Default: the process's. */
  cwd?: string;
  /** What `-` stands for. Default: the process's standard input. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Stops the run: what is complete is committed, and the summary says `stopped`. */
  signal?: AbortSignal;
  onProgress?: (progress: IndexPathsProgress) => void;
  /** Told once for each file or record that was not read. */
  onSkip?: (skip: SkippedInput) => void;
}

export interface IndexPathsSummary extends IngestProgress {
  files: number;
  seconds: number;
  tokensPerSecond: number;
  /** True when the signal ended the run early. The same call again goes on: what is in the index is left alone. */
  stopped: boolean;
  skips: SkippedInput[];
  /** What the index holds now, or undefined when there is still none. */
  total: IndexTotals | undefined;
}

/**
 * Indexes files, folders, globs and `-` (standard input). Documents whose content is in the index already are left alone, changed
 * ones are replaced, unreadable ones are skipped and told. An existing index is changed only by whole commits.
 * @throws VerbatimError `invalid-argument`, `index-locked`, `model-mismatch`, `model-missing`, `out-of-space`, `permission-denied`, …
 */
export async function indexPaths(paths: readonly string[], options: IndexPathsOptions): Promise<IndexPathsSummary> {
  if (paths.length === 0)
    throw new VerbatimError("invalid-argument", "No path was given.", { hint: "Name a file or a folder." });
  const { signal, cwd = process.cwd() } = options;
  const started = performance.now();
  const skips: SkippedInput[] = [];
  const onSkip = (skip: SkippedInput): void => {
    skips.push(skip);
    options.onSkip?.(skip);
  };
  const folder = resolve(cwd, options.index);
  const storage = new FileStorage(folder);
  const existed = await storage.exists();
  const inputs = await listOutside(folder, paths, { cwd, signal, onSkip });
  const run: Run = { inputs, options, onSkip, started, progress: new ByteProgress(inputs) };
  let counts = noCounts();
  let stopped = false;
  if (inputs.length > 0) {
    const encoder =
      options.encoder ?? (await openEncoder({ modelFolder: options.modelFolder, threads: options.threads }));
    try {
      const writer = await openWriter({ storage, encoder, termUnit: options.unit, signal });
      try {
        ({ counts, stopped } = await addAll(run, writer));
        if (counts.documents > 0) await writer.commit();
      } finally {
        await writer.close();
      }
    } finally {
      if (options.encoder === undefined) await encoder.close();
    }
  }
  const total = await readTotals(storage);
  if (total === undefined && !existed) await rmdir(folder).catch(() => {}); // nothing came of it: leave no empty folder
  const seconds = (performance.now() - started) / 1000;
  return {
    ...counts,
    skipped: skips.reduce((sum, skip) => sum + (skip.count ?? 1), 0),
    files: run.progress.files,
    seconds,
    tokensPerSecond: counts.tokens / seconds,
    stopped,
    skips,
    total,
  };
}

interface Run {
  inputs: InputFile[];
  options: IndexPathsOptions;
  onSkip: (skip: SkippedInput) => void;
  /** performance.now() at the start. */
  started: number;
  progress: ByteProgress;
}

/** The inputs, without those in the folder of the index itself (an unfinished first run leaves files there). */
async function listOutside(
  index: string,
  paths: readonly string[],
  options: { cwd: string; signal: AbortSignal | undefined; onSkip: (skip: SkippedInput) => void },
): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  for await (const input of listInputs([...paths], options)) {
    if (!input.absolutePath.startsWith(index + sep)) inputs.push(input);
  }
  return inputs;
}

/** Encodes all documents into the writer. A signal is no error here: it ends the loop, and what came before counts. */
async function addAll(run: Run, writer: Writer): Promise<{ counts: IngestProgress; stopped: boolean }> {
  const { options, progress, onSkip } = run;
  const { signal, onProgress } = options;
  let counts = noCounts();
  const tell = (now: IngestProgress): void => {
    counts = now;
    const seconds = (performance.now() - run.started) / 1000;
    progress.encoded(now);
    onProgress?.({ ...now, ...progress.at(seconds), seconds, tokensPerSecond: now.tokens / seconds });
  };
  try {
    counts = await writer.add(documentsOf(run), {
      signal,
      onProgress: tell,
      onSkip: ({ source, reason, hint }) => onSkip({ source, reason, hint, code: "unreadable-document" }),
    });
    return { counts, stopped: false };
  } catch (error) {
    if (signal?.aborted && error instanceof VerbatimError && error.code === "aborted") return { counts, stopped: true };
    throw error;
  }
}

async function* documentsOf(run: Run): AsyncGenerator<Document> {
  const { options, progress, onSkip } = run;
  for (const input of run.inputs) {
    throwIfAborted(options.signal);
    progress.beginFile(input);
    yield* readDocuments(input, {
      format: options.format,
      signal: options.signal,
      stdin: options.stdin,
      onSkip,
      onProgress: (bytesRead) => progress.read(bytesRead),
    });
    progress.endFile();
  }
}

function noCounts(): IngestProgress {
  return { documents: 0, unchanged: 0, replaced: 0, passages: 0, tokens: 0, phrases: 0, skipped: 0 };
}
