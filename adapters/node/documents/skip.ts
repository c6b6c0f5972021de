/** Errors of reading a file as one line for the user. */

import { VerbatimError } from "../../../src/errors.js";
import type { SkippedInput } from "./input.js";

const FILE_SYSTEM_REASONS: Record<string, Omit<SkippedInput, "source">> = {
  EACCES: {
    code: "permission-denied",
    reason: "cannot be read: no permission",
    hint: "Check its permissions, or leave it out.",
  },
  ENOENT: {
    code: "unreadable-document",
    reason: "vanished before it was read",
    hint: "Run the command again when nothing else is changing the folder.",
  },
  ELOOP: {
    code: "unreadable-document",
    reason: "is a symlink loop",
    hint: "Remove the link, or name its target.",
  },
  EISDIR: {
    code: "unreadable-document",
    reason: "is a folder",
    hint: "Run the command again when nothing else is changing the folder.",
  },
  ENAMETOOLONG: {
    code: "unreadable-document",
    reason: "has a path longer than the system allows",
    hint: "Move it to a folder with a shorter path.",
  },
  EMFILE: {
    code: "io-error",
    reason: "cannot be opened: too many open files",
    hint: "Raise the limit (ulimit -n) and run the command again.",
  },
};
/** Node.js decodes such names with U+FFFD, and does not find them under it. */
const NOT_UTF8: Omit<SkippedInput, "source"> = {
  code: "unreadable-document",
  reason: "has a name that is not UTF-8",
  hint: "Rename it.",
};
FILE_SYSTEM_REASONS.EPERM = FILE_SYSTEM_REASONS.EACCES!;
FILE_SYSTEM_REASONS.ENOTDIR = FILE_SYSTEM_REASONS.ENOENT!;

/**
 * The line for an error of `source`, or undefined for `aborted` and for errors of the program, which must not be
 * hidden.
 */
export function skipOf(error: unknown, source: string): SkippedInput | undefined {
  if (error instanceof VerbatimError) {
    if (error.code === "aborted" || error.code === "internal") return undefined;
    return { source, reason: error.message, code: error.code, hint: error.hint };
  }
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== undefined && syscall !== undefined) {
    const known = code === "ENOENT" && source.includes("\ufffd") ? NOT_UTF8 : FILE_SYSTEM_REASONS[code];
    if (known !== undefined) return { source, ...known };
    return {
      source,
      code: "io-error",
      reason: `cannot be read (${code})`,
      hint: "Check the disk and run the command again.",
    };
  }
  if (error instanceof RangeError && /call stack/.test(error.message)) {
    return {
      source,
      code: "unreadable-document",
      reason: "is nested too deeply",
      hint: "Save it as plain text and index that.",
    };
  }
  if (
    code === "ERR_STRING_TOO_LONG" ||
    (error instanceof RangeError && /string length|allocation/i.test(error.message))
  ) {
    return { source, code: "unreadable-document", reason: "is too large to hold in memory", hint: "Split it." };
  }
  return undefined;
}

const EMPTY = "has no text";
const NO_DOCUMENTS = "gave no documents";

/** The error for a document without text. */
export function empty(): VerbatimError {
  return unreadable(EMPTY, "Leave it out, or put text in it.");
}

/** The error for a file none of whose records is a document. */
export function noDocuments(): VerbatimError {
  return unreadable(NO_DOCUMENTS, "See the lines above.");
}

/** Whether a file was read to its end and has nothing, unless other lines say that its records were skipped. */
export function isEmptyFile({ reason, line }: Pick<SkippedInput, "reason" | "line">): boolean {
  return (reason === EMPTY || reason === NO_DOCUMENTS) && line === undefined;
}

/**
 * The error for what a parser threw: the file's fault, unless `skipOf` knows it, the run was stopped or memory is
 * exhausted. With VERBATIM_DEBUG set, the hint ends with the parser's stack.
 */
export function parserFailure(error: unknown): unknown {
  if (error instanceof VerbatimError || skipOf(error, "") !== undefined || isAbort(error) || isOutOfMemory(error))
    return error;
  const hint = "Save it again, or convert it to plain text.";
  const stack = error instanceof Error ? error.stack : String(error);
  return unreadable(
    "cannot be read: its parser failed",
    process.env.VERBATIM_DEBUG ? `${hint} Report this: ${stack}` : hint,
    error,
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_MEMORY_ALLOCATION_FAILED" || (error instanceof RangeError && /memory/i.test(message));
}

/** The error for a document that cannot be read; `reason` continues the file's name. */
export function unreadable(reason: string, hint?: string, cause?: unknown): VerbatimError {
  return new VerbatimError("unreadable-document", reason, { hint, cause });
}

/** The error for a document of an unsupported kind. */
export function unsupported(reason: string, hint?: string): VerbatimError {
  return new VerbatimError("unsupported-document", reason, { hint });
}

/** "512 MB", "1.5 GB": a byte count for a message. */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}
