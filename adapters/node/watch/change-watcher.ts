/**
 * Waits for changes in folders, and reports them together once no more come or a limit has passed.
 */

import { basename } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { VerbatimError } from "../../../src/errors.js";
import { IGNORE_FILES } from "../documents/ignore-rules.js";
import { isInside } from "../documents/paths.js";

interface ChangeWatcherOptions {
  /** Changes in this folder are ignored: the index. */
  except: string;
  /** Changes are reported once none has come for this long, in milliseconds, … Default 200. */
  quietMs?: number;
  /** … or this long after the first. Default 2000. */
  maxDelayMs?: number;
}

export class ChangeWatcher {
  readonly #watcher: FSWatcher;
  readonly #roots: readonly string[];
  readonly #quietMs: number;
  readonly #maxDelayMs: number;
  #touched = new Set<string>();
  /** performance.now() of the first and the last event that are not reported yet. */
  #first: number | undefined;
  #last = 0;
  #failure: VerbatimError | undefined;
  #wake: () => void = () => {};

  private constructor(roots: readonly string[], options: ChangeWatcherOptions) {
    this.#roots = roots;
    this.#quietMs = options.quietMs ?? 200;
    this.#maxDelayMs = options.maxDelayMs ?? 2000;
    const named = new Set(roots);
    this.#watcher = watch([...roots], {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path) => !named.has(path) && isIgnored(path, options.except),
    });
    this.#watcher.on("all", (_, path) => {
      this.#touched.add(path);
      this.#last = performance.now();
      this.#first ??= this.#last;
      this.#wake();
    });
    this.#watcher.on("error", (error) => {
      this.#failure ??= watchError(error);
      this.#wake();
    });
  }

  /** @param roots  absolute paths */
  static async open(roots: readonly string[], options: ChangeWatcherOptions): Promise<ChangeWatcher> {
    const watcher = new ChangeWatcher(roots, options);
    await new Promise<void>((ready) => {
      watcher.#watcher.once("ready", () => ready());
      watcher.#watcher.once("error", () => ready());
    });
    return watcher;
  }

  /**
   * Waits for the next changes, at most `timeoutMs` milliseconds if there are none.
   * @returns absolute paths that have changed, perhaps none; at once when the signal fires
   * @throws VerbatimError `io-error` when the system cannot watch
   */
  async next(timeoutMs: number, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const began = performance.now();
    while (!signal?.aborted) {
      if (this.#failure !== undefined) throw this.#failure;
      const now = performance.now();
      const first = this.#first;
      const until =
        first === undefined ? began + timeoutMs : Math.min(this.#last + this.#quietMs, first + this.#maxDelayMs);
      if (now >= until) break;
      await this.#wait(until - now, signal);
    }
    if (this.#first === undefined) this.#watcher.add([...this.#roots]); // a folder that was missing may be back
    const touched = this.#touched;
    this.#touched = new Set();
    this.#first = undefined;
    return touched;
  }

  async close(): Promise<void> {
    await this.#watcher.close();
  }

  #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener("abort", done, { once: true });
      this.#wake = done;
    });
  }
}

/**
 * The rules of folder listing: hidden names and `node_modules` are ignored, but ignore files
 * matter.
 */
function isIgnored(path: string, except: string): boolean {
  if (isInside(path, except)) return true;
  const name = basename(path);
  return name === "node_modules" || (name.startsWith(".") && !IGNORE_FILES.includes(name));
}

function watchError(error: unknown): VerbatimError {
  const { code, message } = error as NodeJS.ErrnoException;
  const tooMany = code === "ENOSPC" || code === "EMFILE";
  return new VerbatimError(
    "io-error",
    tooMany ? "The system cannot watch this many folders." : `Watching failed: ${message}.`,
    {
      hint: tooMany
        ? "Raise its limit (Linux: sysctl fs.inotify.max_user_watches=524288), or watch fewer folders."
        : "Check the disk. The index keeps what was indexed; run the same command again to resume.",
      cause: error,
    },
  );
}
