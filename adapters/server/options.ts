/** How a server is started: what may be said, what holds where nothing is said, and what is refused. */

import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import type { ReaderMode } from "../../src/reader/types.js";
import { isGlob } from "../node/documents/globs.js";
import type { Limits } from "./http/limits.js";
import type { Log } from "./http/log.js";
import { isLoopbackName, isOrigin } from "./security/same-site.js";
import type { Tokens } from "./security/tokens.js";

/** Which reader is opened. */
export interface ReaderChoice {
  /** How questions are read that do not say it. `off`: no reader is opened. Default: `auto` where a calibrated reader is installed, else `off`. */
  reader?: ReaderMode;
  /** Folder of a reader. Default: the installed one. */
  readerFolder?: string;
}

export interface ServeOptions extends ReaderChoice {
  /** Folder of the index; made when something is written. */
  index: string;
  /** Files, folders and patterns to take in first. Default: none. */
  paths?: readonly string[];
  /** Follow the paths after they are in: what is new, changed, renamed or gone in them. Patterns are read once. Default false. */
  watch?: boolean;
  /** Default 127.0.0.1: this machine only. */
  host?: string;
  /** 0: any that is free. Default 0. */
  port?: number;
  /** Who may do what. Default: whoever can connect may ask; writing needs the `token` of this run. Needed for any `host` but this machine. */
  tokens?: Tokens;
  /** Nothing can be sent or deleted. Default false. */
  readOnly?: boolean;
  /** Origins of other sites whose pages may ask, as "https://docs.example"; "*" only with `tokens`. Default: none. */
  cors?: readonly string[];
  /** Default: the model that ships with the package. */
  modelFolder?: string;
  /** Rather no answer than one less sure, 0…1. Default: the model's threshold. */
  minConfidence?: number;
  /** Folder that paths and ids are relative to. Default: the process's. */
  cwd?: string;
  /** Threads that answer, 1…64, each with what it needs of the index in memory. Default: one a core, at most 4. */
  threads?: number;
  limits?: Partial<Limits>;
  /** Default: nothing is logged. */
  log?: Log;
}

/** Beyond so many the memory counts for more than the speed, unless someone says so. */
const MOST_THREADS = 4;

type Always = "paths" | "watch" | "host" | "port" | "readOnly" | "cors" | "cwd" | "threads" | "log";
export type ResolvedServeOptions = Omit<ServeOptions, "minConfidence"> &
  Required<Pick<ServeOptions, Always>> & { minConfidence: number | "calibrated" };

export function withDefaults(given: ServeOptions): ResolvedServeOptions {
  const { paths = [], watch = false, host = "127.0.0.1", port = 0, readOnly = false, cors = [], ...rest } = given;
  const { minConfidence = "calibrated", cwd = process.cwd(), log = () => {} } = given;
  const { threads = Math.min(MOST_THREADS, availableParallelism()) } = given;
  return { ...rest, paths, watch, host, port, readOnly, cors, minConfidence, cwd, threads, log };
}

/** @throws VerbatimError `invalid-argument` for what would be open to others without a token or cannot be */
export function checkOptions({ host, tokens, cors, paths, readOnly, threads }: ResolvedServeOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw new VerbatimError("invalid-argument", message, { hint });
  };
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    refuse(`${threads} is no number of threads.`, "Give a whole number from 1 to 64.");
  }
  if (!isLoopbackName(host) && tokens === undefined) {
    refuse("Without a token the server listens to this machine only.", "Give --token-file, or leave --host out.");
  }
  for (const origin of cors) {
    if (!isOrigin(origin))
      refuse(`${origin} is not an origin.`, "Give scheme and host only: --cors https://docs.example");
  }
  if (cors.includes("*") && tokens === undefined) {
    refuse(
      "Without a token not every site may ask.",
      "Name the site: --cors https://docs.example, or give --token-file.",
    );
  }
  if (readOnly && paths.length > 0) {
    refuse("A server that only reads takes no paths in.", "Leave --read-only out, or the paths.");
  }
}

/** Told before anything is opened: a server of nothing helps nobody. */
export async function requirePaths({ paths, cwd }: ResolvedServeOptions): Promise<void> {
  for (const path of paths) {
    const there = isGlob(path) || (await stat(resolve(cwd, path)).catch(() => undefined)) !== undefined;
    if (!there) {
      const hint = "Check the path; it is relative to the folder that you are in.";
      throw new VerbatimError("unreadable-document", `${path} cannot be found.`, { hint });
    }
  }
}
