/**
 * Keeps an index in step with folders. Events of the file system only start a round: what has
 * changed is always found by comparing the folders' listing with the one before, so that bursts,
 * renames, lost events and new ignore files are handled alike.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { openWriter } from "../../../src/api/writer.js";
import type { Encoder } from "../../../src/encode/types.js";
import { hasCode, VerbatimError } from "../../../src/errors.js";
import { committedVersions } from "../../../src/index/manifest/manifest.js";
import { StoredDocumentsCache } from "../../../src/index/segment/stored-documents.js";
import type { InputFile, SkippedInput } from "../documents/input.js";
import { ParserPool } from "../documents/isolation/parser-pool.js";
import { refuseFolderOfFiles } from "../index-info.js";
import { modelFolderForPaths } from "../ingest/choose-model.js";
import { type InputCounts, indexInputs } from "../ingest/index-inputs.js";
import type { IndexPathsOptions } from "../ingest/index-paths.js";
import { listOutside, requirePaths } from "../ingest/list-outside.js";
import type { NotPruned } from "../ingest/prune.js";
import { openEncoder } from "../models/encoder/encoder.js";
import { FileStorage } from "../storage/file-storage.js";
import { ocrCacheOf } from "../storage/side-folders.js";
import { waitForLock } from "../storage/wait-for-lock.js";
import { ChangeWatcher } from "./change-watcher.js";

export interface WatchOptions
  extends Omit<IndexPathsOptions, "stdin" | "prune" | "rebuild" | "onRebuild" | "lexicalFirst" | "onUpgrade"> {
  /** Called after every round that examined files, including the first, which catches up. */
  onRound?: (counts: InputCounts & { version: number }) => void;
  /**
   * Called when documents stay although their files cannot be found; see `prune` of
   * IndexPathsOptions.
   */
  onNotPruned?: (notPruned: NotPruned) => void;
  /**
   * Runs each round after the first, in turn with other writers of the same process. Default: at
   * once.
   */
  turn?: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Called when another process writes to the index; the round is repeated until the lock is free.
   */
  onLocked?: (error: VerbatimError) => void;
  /** Changes are indexed once none has come for this long, in milliseconds, … Default 200. */
  quietMs?: number;
  /** … or this long after the first. Default 2000. */
  maxDelayMs?: number;
  /** Interval of rounds without an event, in milliseconds. Default 30,000. */
  rescanEveryMs?: number;
}

/** No event reports that a missing path is back. */
const RESCAN_MISSING_MS = 2000;
/** Pause between two attempts to get the writer's lock. */
const LOCKED_MS = 1000;

export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<void> {
  const { cwd = process.cwd(), signal, rescanEveryMs = 30_000 } = options;
  const folder = resolve(cwd, options.index);
  requirePaths(paths, { index: folder, cwd });
  await refuseFolderOfFiles(folder, options.index);
  if (paths.length === 0 || paths.includes("-")) {
    const hint = "Name the folders to follow: verbatim watch ~/notes.";
    throw new VerbatimError("invalid-argument", "Only files and folders can be watched.", { hint });
  }
  const watcher = await ChangeWatcher.open(
    paths.map((path) => resolve(cwd, path)),
    { ...options, except: folder },
  );
  const parsers = options.parsers ?? new ParserPool();
  let { encoder } = options;
  try {
    encoder ??= await openChosen(paths, { ...options, parsers });
    const watch = new Watch(paths, { ...options, encoder, cwd, parsers }, folder);
    let touched: ReadonlySet<string> = new Set();
    while (!signal?.aborted) {
      await watch.round(touched);
      const missing = (await watch.countExisting()) < paths.length;
      touched = await watcher.next(missing ? Math.min(RESCAN_MISSING_MS, rescanEveryMs) : rescanEveryMs, signal);
    }
  } catch (error) {
    if (signal?.aborted && hasCode(error, "aborted")) return;
    throw error;
  } finally {
    await watcher.close();
    if (options.encoder === undefined) await encoder?.close();
    if (options.parsers === undefined) parsers.close();
  }
}

/** The model that `indexPaths` would use. */
async function openChosen(paths: readonly string[], options: WatchOptions): Promise<Encoder> {
  return openEncoder({ modelFolder: await modelFolderForPaths(paths, options), threads: options.threads });
}

type WatchSettings = WatchOptions & { encoder: Encoder; cwd: string };

class Watch {
  readonly #paths: readonly string[];
  readonly #options: WatchSettings;
  readonly #folder: string;
  /** Size and time of every file when it was last indexed, by absolute path. */
  readonly #stamps = new Map<string, string>();
  /** What earlier rounds have read of the index. */
  readonly #names = new StoredDocumentsCache();
  /** What the round before reported: it is not reported again. */
  #reported = new Set<string>();
  #first = true;
  /** Version of the index after the last round that changed it. */
  #version = 0;

  constructor(paths: readonly string[], options: WatchSettings, folder: string) {
    this.#paths = paths;
    this.#options = options;
    this.#folder = folder;
  }

  /** @param touched  absolute paths with an event: examined whatever their size and time */
  async round(touched: ReadonlySet<string>): Promise<void> {
    const { cwd, signal } = this.#options;
    const reported = new Set<string>();
    const onSkip = (skip: SkippedInput): void => {
      const line = `${skip.source}\n${skip.line ?? ""}\n${skip.reason}`;
      if (!this.#reported.has(line) && !reported.has(line)) this.#options.onSkip?.(skip);
      reported.add(line);
    };
    const all = await listOutside(this.#folder, this.#paths, { cwd, signal, onSkip });
    if (this.#first && all.length === 0) await this.#requireSomething();
    if (await this.#isDeleted()) this.#stamps.clear(); // every file is new to the next index
    const listed = new Set(all.map((input) => input.absolutePath));
    const inputs = all.filter((input) => touched.has(input.absolutePath) || this.#isNew(input));
    const gone = [...this.#stamps.keys()].filter((path) => !listed.has(path));
    if (inputs.length > 0 || gone.length > 0 || this.#first) {
      const update = (): Promise<void> => this.#update({ inputs, listed, onSkip, reported });
      const { turn } = this.#options;
      await (turn === undefined || this.#first ? update() : turn(update));
      for (const input of inputs) this.#stamps.set(input.absolutePath, stampOf(input));
      for (const path of gone) this.#stamps.delete(path);
    }
    this.#reported = reported;
    this.#first = false;
  }

  /** Whether the index was deleted, or made again, since the last round. */
  async #isDeleted(): Promise<boolean> {
    if (this.#version === 0) return false;
    const storage = new FileStorage(this.#folder);
    const newest = (await storage.exists()) ? committedVersions(await storage.list())[0] : undefined;
    return (newest ?? 0) < this.#version;
  }

  #isNew(input: InputFile): boolean {
    return this.#stamps.get(input.absolutePath) !== stampOf(input);
  }

  async #update(round: {
    inputs: InputFile[];
    listed: ReadonlySet<string>;
    onSkip: (skip: SkippedInput) => void;
    reported: Set<string>;
  }): Promise<void> {
    const { onRound, onNotPruned, onMergeError, level, thinTerms, encoder, durability, signal } = this.#options;
    const { inputs, listed, onSkip, reported } = round;
    const storage = new FileStorage(this.#folder);
    const open = () => openWriter({ storage, encoder, level, thinTerms, durability, onMergeError, signal });
    const waiting = { signal, retryMs: LOCKED_MS, onLocked: this.#options.onLocked };
    const writer = await waitForLock(open, waiting).catch((error: unknown) => {
      throw !this.#first && hasCode(error, "model-mismatch") ? rebuilt(error) : error;
    });
    try {
      const options = { ...this.#options, prune: true };
      const folder = { ocrCache: ocrCacheOf(this.#folder), names: this.#names };
      const run = { inputs, listed, paths: this.#paths, options, onSkip, ...folder, commitsMeanwhile: true };
      const counts = await indexInputs(run, writer);
      for (const notPruned of counts.notPruned) {
        const line = `${notPruned.path}\n${notPruned.reason}\n${notPruned.documents}`;
        if (!this.#reported.has(line)) onNotPruned?.(notPruned);
        reported.add(line);
      }
      this.#version = writer.version;
      onRound?.({ ...counts, version: writer.version });
    } finally {
      await writer.close();
    }
  }

  /** How many of the paths exist now. */
  async countExisting(): Promise<number> {
    const found = await Promise.allSettled(this.#paths.map((path) => stat(resolve(this.#options.cwd, path))));
    return found.filter(({ status }) => status === "fulfilled").length;
  }

  /** An empty folder can be followed; a path that does not exist cannot. */
  async #requireSomething(): Promise<void> {
    if ((await this.countExisting()) > 0) return;
    const message = `There is nothing to watch: ${this.#paths.join(" ")} cannot be found.`;
    throw new VerbatimError("unreadable-document", message, {
      hint: "Check the path. Patterns are not followed: name their folder.",
    });
  }
}

/** Another process has encoded the index again with another model. */
function rebuilt({ found, expected }: VerbatimError): VerbatimError {
  const message = "Meanwhile, the index was encoded again with another model, so changes can no longer be added.";
  return new VerbatimError("model-mismatch", message, {
    found,
    expected,
    hint: "Start this program again: it then uses the model of the index.",
  });
}

function stampOf({ size, mtimeMs }: InputFile): string {
  return `${size} ${mtimeMs}`;
}
