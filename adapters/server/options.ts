/** Options of the server: their defaults, and the combinations that are refused. */

import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import type { ReaderMode } from "../../src/reader/types.js";
import { isGlob } from "../node/documents/globs.js";
import type { ModelOptions } from "../node/models/choice.js";
import type { Limits } from "./http/limits.js";
import type { Log } from "./http/log.js";
import { isOrigin, requireTokens } from "./security/same-site.js";
import type { Tokens } from "./security/tokens.js";

/** Which reader is opened. */
export interface ReaderChoice {
  /**
   * The reader mode of questions that name none. `off`: no reader is opened. Default: `auto` where
   * a calibrated reader is installed, else `off`.
   */
  reader?: ReaderMode;
  /** Folder of a reader. Default: the installed one. */
  readerFolder?: string;
}

/**
 * The model "auto" is that of the index; that of a new index is chosen by the language of `paths`, and without any,
 * it is the English one.
 */
export interface ServeOptions extends ReaderChoice, ModelOptions {
  /** Folder of the index; created when something is written. */
  index: string;
  /** Files, folders and patterns to index first. Default: none. */
  paths?: readonly string[];
  /**
   * Follow the paths afterwards: new, changed, renamed and removed files. Patterns are read once.
   * Default false.
   */
  watch?: boolean;
  /** Default 127.0.0.1: this machine only. */
  host?: string;
  /** 0 chooses a free one. Default 0. */
  port?: number;
  /**
   * Who may do what. Default: everyone who can connect may ask, and writing needs the `token` of
   * this run. Required for any `host` but this machine.
   */
  tokens?: Tokens;
  /** Nothing can be sent or deleted. Default false. */
  readOnly?: boolean;
  /**
   * Origins of other sites whose pages may ask, for example "https://docs.example"; "*" only with
   * `tokens`. Default: none.
   */
  cors?: readonly string[];
  /** Minimum confidence, 0…1; below it, no answer is returned. Default: the model's threshold. */
  minConfidence?: number;
  /** Folder that paths and ids are relative to. Default: the working folder of the process. */
  cwd?: string;
  /**
   * Answering threads, 1…64; each holds what it needs of the index in memory. Default: one per
   * core, at most 4.
   */
  threads?: number;
  limits?: Partial<Limits>;
  /** Default: nothing is logged. */
  log?: Log;
}

/** By default, no more threads than this are started: each one takes memory. */
const MAX_DEFAULT_THREADS = 4;

type Always = "paths" | "watch" | "host" | "port" | "readOnly" | "cors" | "cwd" | "threads" | "log";
export type ResolvedServeOptions = Omit<ServeOptions, "minConfidence"> &
  Required<Pick<ServeOptions, Always>> & { minConfidence: number | "calibrated" };

export function withDefaults(given: ServeOptions): ResolvedServeOptions {
  const { paths = [], watch = false, host = "127.0.0.1", port = 0, readOnly = false, cors = [], ...rest } = given;
  const { minConfidence = "calibrated", cwd = process.cwd(), log = () => {} } = given;
  const { threads = Math.min(MAX_DEFAULT_THREADS, availableParallelism()) } = given;
  return { ...rest, paths, watch, host, port, readOnly, cors, minConfidence, cwd, threads, log };
}

/**
 * @throws VerbatimError `invalid-argument` for options that contradict each other, or would let
 *   others in without a token
 */
export function checkOptions({ host, tokens, cors, paths, readOnly, threads }: ResolvedServeOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw new VerbatimError("invalid-argument", message, { hint });
  };
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    refuse(`The number of threads must be from 1 to 64, not ${threads}.`, "Give a whole number from 1 to 64.");
  }
  requireTokens(host, tokens);
  for (const origin of cors) {
    if (!isOrigin(origin))
      refuse(`${origin} is not an origin.`, "Give scheme and host only: --cors https://docs.example");
  }
  if (cors.includes("*") && tokens === undefined) {
    refuse(
      "Without a token the server cannot be opened to every site.",
      "Name the site: --cors https://docs.example, or give --token-file.",
    );
  }
  if (readOnly && paths.length > 0) {
    refuse("A read-only server cannot index paths.", "Leave out --read-only, or the paths.");
  }
}

/**
 * Checked before anything is opened.
 * @throws VerbatimError `unreadable-document` for a path that does not exist
 */
export async function requirePaths({ paths, cwd }: ResolvedServeOptions): Promise<void> {
  for (const path of paths) {
    const exists = isGlob(path) || (await stat(resolve(cwd, path)).catch(() => undefined)) !== undefined;
    if (!exists) {
      const hint = "Check the path; it is relative to the folder that you are in.";
      throw new VerbatimError("unreadable-document", `${path} cannot be found.`, { hint });
    }
  }
}
