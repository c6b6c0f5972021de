/**
 * How the command line reports errors: the code decides the exit status, the message and hint are
 * printed.
 */

import { CommanderError } from "commander";
import { type ErrorCode, VerbatimError } from "../../src/errors.js";
import { FilterSyntaxError } from "../../src/filter/syntax-error.js";
import { exitStatus, type Output, printLine } from "./process-io.js";
import { plain } from "./render/terminal.js";

/** An error in how the command was called. */
export function wrongUse(message: string, hint: string): VerbatimError {
  return new VerbatimError("invalid-argument", message, { hint });
}

/** Converts anything thrown into the error that is reported. */
export function toVerbatimError(error: unknown): VerbatimError {
  if (error instanceof VerbatimError) return error;
  if (error instanceof CommanderError) {
    const [message = "", suggestion = ""] = error.message.replace(/^error: /, "").split("\n");
    const guess = /^\(Did you mean .+\?\)$/.test(suggestion) ? `${suggestion.slice(1, -1)} ` : "";
    const help = `${guess}See verbatim --help, or verbatim COMMAND --help.`;
    const option = error.code === "commander.unknownOption" ? message.slice(message.indexOf("'") + 1) : "";
    const isQuestion = /^-\p{L}/u.test(option) && /\s/u.test(option);
    return wrongUse(sentence(message), isQuestion ? `If that is the question, write -- before it. ${help}` : help);
  }
  if (!(error instanceof Error)) {
    return new VerbatimError("internal", `Internal error: ${String(error)}`, { cause: error });
  }
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && syscall !== undefined) return systemError(error, { code, path });
  return new VerbatimError("internal", `Internal error: ${error.message}`, {
    hint: "Run it again with VERBATIM_DEBUG=1 and report the output.",
    cause: error,
  });
}

const SYSTEM_ERRORS: Record<
  string,
  {
    code: ErrorCode;
    /** What the path is or does not do; `says` goes before the path. */
    pathIs?: string;
    says: string;
    hint: string;
  }
> = {
  ENOENT: { code: "io-error", pathIs: "does not exist", says: "A path does not exist", hint: "Check the path." },
  EISDIR: { code: "io-error", pathIs: "is a folder", says: "A path is a folder", hint: "Choose a file." },
  EACCES: {
    code: "permission-denied",
    says: "Permission denied",
    hint: "Check the permissions, or choose another folder.",
  },
  ENOSPC: { code: "out-of-space", says: "The disk is full", hint: "Free some space and run the same command again." },
  EROFS: { code: "permission-denied", says: "The disk is read-only", hint: "Choose a writable folder." },
  ENOTDIR: { code: "io-error", says: "Not a folder", hint: "Choose a folder." },
};
SYSTEM_ERRORS.EPERM = SYSTEM_ERRORS.EACCES!;
SYSTEM_ERRORS.EDQUOT = SYSTEM_ERRORS.ENOSPC!;

function systemError(cause: Error, details: { code: string; path: string | undefined }): VerbatimError {
  const { code, path } = details;
  const unknown = { code: "io-error" as const, says: `System error ${code}`, hint: "Check the disk." };
  const { says, pathIs, hint, code: reported } = SYSTEM_ERRORS[code] ?? { ...unknown, pathIs: undefined };
  const placed = pathIs === undefined ? `${says}: ${path}` : `${path} ${pathIs}`;
  return new VerbatimError(reported, `${path === undefined ? says : placed}.`, { hint, cause });
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

export function statusOf(error: VerbatimError): number {
  if (error.code === "invalid-argument") return exitStatus.wrongUse;
  if (error.code === "aborted") return exitStatus.stopped;
  return exitStatus.broken;
}

/**
 * Prints the message and its hint, or an object `{ error: { code, message, hint } }`. For a filter
 * with a syntax error it also prints where: an excerpt with a caret below it, or `position`.
 */
export function reportError(error: VerbatimError, options: { stderr: Output; json: boolean; debug: boolean }): void {
  const { stderr, json, debug } = options;
  const { code, message, hint } = error;
  const filter = error instanceof FilterSyntaxError ? error : undefined;
  if (json) {
    const at = filter === undefined ? {} : { position: filter.position };
    printLine(stderr, JSON.stringify({ error: { code, message, hint, ...at } }));
  } else {
    printLine(stderr, `verbatim: ${plain(message)}`);
    for (const line of filter?.excerpt ?? []) printLine(stderr, `  ${line}`);
    if (hint !== undefined) printLine(stderr, `  hint: ${plain(hint)}`);
  }
  if (debug)
    printLine(stderr, error.cause instanceof Error ? `${error.stack}\n${error.cause.stack}` : `${error.stack}`);
}
