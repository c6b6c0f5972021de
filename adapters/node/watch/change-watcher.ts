/** When something has happened in folders: told once things are quiet again, or have not been for long, or now and then in any case. */

import { basename, sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { VerbatimError } from "../../../src/errors.js";
import { IGNORE_FILES } from "../documents/ignore-rules.js";

export interface WakeOptions {
  /** Folder in which nothing counts. */
  except: string;
  quietMs?: number;
  longestMs?: number;
}

export class Wakes {
  readonly #watcher: FSWatcher;
  readonly #roots: readonly string[];
  readonly #quietMs: number;
  readonly #longestMs: number;
  #touched = new Set<string>();
  /** performance.now() of the first and the last event that were not told yet. */
  #first: number | undefined;
  #last = 0;
  #failure: VerbatimError | undefined;
  #wake: () => void = () => {};

  private constructor(roots: readonly string[], options: WakeOptions) {
    this.#roots = roots;
    this.#quietMs = options.quietMs ?? 200;
    this.#longestMs = options.longestMs ?? 2000;
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
  static async open(roots: readonly string[], options: WakeOptions): Promise<Wakes> {
    const wakes = new Wakes(roots, options);
    await new Promise<void>((ready) => {
      wakes.#watcher.once("ready", () => ready());
      wakes.#watcher.once("error", () => ready());
    });
    return wakes;
  }

  /**
   * Waits for the next change, or for `lookMs` milliseconds without one.
   * @returns absolute paths that were told of, perhaps none; at once when the signal has fired
   * @throws VerbatimError `io-error` when the system cannot watch
   */
  async next(lookMs: number, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const began = performance.now();
    while (!signal?.aborted) {
      if (this.#failure !== undefined) throw this.#failure;
      const now = performance.now();
      const first = this.#first;
      const until =
        first === undefined ? began + lookMs : Math.min(this.#last + this.#quietMs, first + this.#longestMs);
      if (now >= until) break;
      await this.#wait(until - now, signal);
    }
    if (this.#first === undefined) this.#watcher.add([...this.#roots]); // a folder that was away and came back
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

/** As the listing of folders has it: hidden names and `node_modules` do not count, but ignore files do. */
function isIgnored(path: string, except: string): boolean {
  if (path === except || path.startsWith(except + sep)) return true;
  const name = basename(path);
  return name === "node_modules" || (name.startsWith(".") && !IGNORE_FILES.includes(name));
}

function watchError(error: unknown): VerbatimError {
  const { code, message } = error as NodeJS.ErrnoException;
  const tooMany = code === "ENOSPC" || code === "EMFILE";
  return new VerbatimError(
    "io-error",
    tooMany ? "The system cannot watch so many folders." : `Watching failed: ${message}.`,
    {
      hint: tooMany
        ? "Raise its limit (Linux: sysctl fs.inotify.max_user_watches=524288), or watch fewer folders."
        : "Check the disk. What was taken in is in the index; run the same command again to go on.",
      cause: error,
    },
  );
}
