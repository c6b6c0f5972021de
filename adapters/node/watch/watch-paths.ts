/**
 * An index that follows folders. What the system tells of changes only wakes: what is done is always found by listing the folders and
 * comparing with the listing before, so that a burst, a renaming, a lost event or a new ignore file come out right.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { openWriter } from "../../../src/api/writer.js";
import type { Encoder } from "../../../src/encode/types.js";
import { VerbatimError } from "../../../src/errors.js";
import { StoredDocumentsCache } from "../../../src/index/segment/stored-documents.js";
import type { InputFile, SkippedInput } from "../documents/input.js";
import { ParserPool } from "../documents/isolation/parser-pool.js";
import { type InputCounts, indexInputs } from "../ingest/index-inputs.js";
import { type IndexPathsOptions, listOutside } from "../ingest/index-paths.js";
import type { NotPruned } from "../ingest/prune.js";
import { FileStorage } from "../storage/file-storage.js";
import { waitForLock } from "../storage/wait-for-lock.js";
import { Wakes } from "./change-watcher.js";

export interface WatchOptions
  extends Omit<
    IndexPathsOptions,
    "stdin" | "prune" | "encoder" | "modelFolder" | "threads" | "lexicalFirst" | "onUpgrade"
  > {
  /** Stays the caller's to close. */
  encoder: Encoder;
  /** Told after every round that looked at something, the first (which catches up) included. */
  onRound?: (counts: InputCounts & { version: number }) => void;
  /** Told when documents stay though their files cannot be found; see `prune` of IndexPathsOptions. */
  onNotPruned?: (notPruned: NotPruned) => void;
  /** Runs each round after the first in its turn, where the same process has other writers of the index. Default: at once. */
  turn?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told when another process writes to the index; the round is done again until it may. */
  onLocked?: (error: VerbatimError) => void;
  /** Changes are taken in when nothing has happened for so many milliseconds, … Default 200. */
  quietMs?: number;
  /** … or so many after the first. Default 2000. */
  longestMs?: number;
  /** The folders are looked through without being woken so often, in milliseconds. Default 30,000. */
  lookEveryMs?: number;
}

/** While a path is away, no event will tell that it is back. */
const LOOK_FOR_MISSING_MS = 2000;
/** How long to wait when another process writes to the index. */
const LOCKED_MS = 1000;

/**
 * Takes in what has changed since the last run, then every change as it comes, until the signal fires: new, changed, renamed and removed
 * files, also in new folders; ignore files count. The index is locked only while something is taken in.
 * @throws VerbatimError `invalid-argument`, `unreadable-document` (none of the paths is there), `io-error` (the system cannot watch so many
 *   folders), and those of `indexPaths` but `index-locked`
 */
export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<void> {
  const { cwd = process.cwd(), signal, lookEveryMs = 30_000 } = options;
  if (paths.length === 0 || paths.includes("-")) {
    const hint = "Name the folders to follow: verbatim watch ~/notes.";
    throw new VerbatimError("invalid-argument", "Only files and folders can be watched.", { hint });
  }
  const folder = resolve(cwd, options.index);
  const wakes = await Wakes.open(
    paths.map((path) => resolve(cwd, path)),
    { ...options, except: folder },
  );
  const parsers = options.parsers ?? new ParserPool();
  const watch = new Watch(paths, { ...options, cwd, parsers }, folder);
  try {
    let touched: ReadonlySet<string> = new Set();
    while (!signal?.aborted) {
      await watch.round(touched);
      const missing = (await watch.pathsThere()) < paths.length;
      touched = await wakes.next(missing ? Math.min(LOOK_FOR_MISSING_MS, lookEveryMs) : lookEveryMs, signal);
    }
  } catch (error) {
    if (signal?.aborted && error instanceof VerbatimError && error.code === "aborted") return;
    throw error;
  } finally {
    await wakes.close();
    if (options.parsers === undefined) parsers.close();
  }
}

class Watch {
  readonly #paths: readonly string[];
  readonly #options: WatchOptions & { cwd: string };
  readonly #folder: string;
  /** Size and time of every file as it was last taken in, by absolute path. */
  readonly #stamps = new Map<string, string>();
  /** What the rounds before have read of the index. */
  readonly #names = new StoredDocumentsCache();
  /** What was told in the round before: the same is not told again. */
  #told = new Set<string>();
  #first = true;

  constructor(paths: readonly string[], options: WatchOptions & { cwd: string }, folder: string) {
    this.#paths = paths;
    this.#options = options;
    this.#folder = folder;
  }

  /** @param touched  absolute paths that the system told of: looked at whatever their size and time */
  async round(touched: ReadonlySet<string>): Promise<void> {
    const { cwd, signal } = this.#options;
    const told = new Set<string>();
    const onSkip = (skip: SkippedInput): void => {
      const line = `${skip.source}\n${skip.line ?? ""}\n${skip.reason}`;
      if (!this.#told.has(line) && !told.has(line)) this.#options.onSkip?.(skip);
      told.add(line);
    };
    const all = await listOutside(this.#folder, this.#paths, { cwd, signal, onSkip });
    if (this.#first && all.length === 0) await this.#requireSomething();
    const listed = new Set(all.map((input) => input.absolutePath));
    const inputs = all.filter((input) => touched.has(input.absolutePath) || this.#isNew(input));
    const gone = [...this.#stamps.keys()].filter((path) => !listed.has(path));
    if (inputs.length > 0 || gone.length > 0 || this.#first) {
      const take = (): Promise<void> => this.#take({ inputs, listed, onSkip, told });
      const { turn } = this.#options;
      await (turn === undefined || this.#first ? take() : turn(take));
      for (const input of inputs) this.#stamps.set(input.absolutePath, stampOf(input));
      for (const path of gone) this.#stamps.delete(path);
    }
    this.#told = told;
    this.#first = false;
  }

  #isNew(input: InputFile): boolean {
    return this.#stamps.get(input.absolutePath) !== stampOf(input);
  }

  async #take(round: {
    inputs: InputFile[];
    listed: ReadonlySet<string>;
    onSkip: (skip: SkippedInput) => void;
    told: Set<string>;
  }): Promise<void> {
    const { onRound, onNotPruned, level, thinTerms, encoder, durability, signal } = this.#options;
    const { inputs, listed, onSkip, told } = round;
    const storage = new FileStorage(this.#folder);
    const open = () => openWriter({ storage, encoder, level, thinTerms, durability, signal });
    const writer = await waitForLock(open, { signal, retryMs: LOCKED_MS, onLocked: this.#options.onLocked });
    try {
      const options = { ...this.#options, prune: true };
      const run = { inputs, listed, paths: this.#paths, options, onSkip, names: this.#names, commitsMeanwhile: true };
      const counts = await indexInputs(run, writer);
      for (const notPruned of counts.notPruned) {
        const line = `${notPruned.path}\n${notPruned.reason}\n${notPruned.documents}`;
        if (!this.#told.has(line)) onNotPruned?.(notPruned);
        told.add(line);
      }
      onRound?.({ ...counts, version: writer.version });
    } finally {
      await writer.close();
    }
  }

  /** How many of the paths are there now. */
  async pathsThere(): Promise<number> {
    const there = await Promise.allSettled(this.#paths.map((path) => stat(resolve(this.#options.cwd, path))));
    return there.filter(({ status }) => status === "fulfilled").length;
  }

  /** An empty folder can be followed; a path that is not there cannot. */
  async #requireSomething(): Promise<void> {
    if ((await this.pathsThere()) > 0) return;
    const message = `There is nothing to watch: ${this.#paths.join(" ")} cannot be found.`;
    throw new VerbatimError("unreadable-document", message, {
      hint: "Check the path. Patterns are not followed: name their folder.",
    });
  }
}

function stampOf({ size, mtimeMs }: InputFile): string {
  return `${size} ${mtimeMs}`;
}
