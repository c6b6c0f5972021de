/** Messages with a next step: errors of the file system, and words of suggested commands. */

import { type ErrorCode, VerbatimError } from "../../../src/errors.js";

interface Meaning {
  code: ErrorCode;
  what: string;
  hint: string;
}

const NO_SPACE: Meaning = {
  code: "out-of-space",
  what: "the disk is full",
  hint: "Free some space and run the same command again. Indexing continues after the last commit.",
};
const NO_PERMISSION: Meaning = {
  code: "permission-denied",
  what: "permission denied",
  hint: "Choose another folder with --index, or change the permissions of this one.",
};

const MEANINGS: Record<string, Meaning> = {
  ENOSPC: NO_SPACE,
  EDQUOT: { ...NO_SPACE, what: "your disk quota is used up" },
  EFBIG: { ...NO_SPACE, what: "the file system does not support files of this size" },
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: {
    ...NO_PERMISSION,
    what: "the file system is read-only",
    hint: "Choose a writable folder with --index.",
  },
  ENOENT: { code: "io-error", what: "it does not exist", hint: "It may have just been removed; try again." },
  EEXIST: {
    code: "io-error",
    what: "it exists already",
    hint: "Another program writes to this folder; choose another with --index.",
  },
  ENOTDIR: { code: "invalid-argument", what: "its path leads through a file", hint: "Name a folder with --index." },
  EISDIR: {
    code: "invalid-argument",
    what: "it is a folder",
    hint: "Remove it, or choose another folder with --index.",
  },
  EMFILE: {
    code: "io-error",
    what: "too many files are open",
    hint: "Raise the limit (ulimit -n 4096) and try again.",
  },
  ENFILE: {
    code: "io-error",
    what: "too many files are open on this machine",
    hint: "Close other programs and try again.",
  },
};

const OTHER: Omit<Meaning, "what"> = { code: "io-error", hint: "Check the disk, and try again." };

export function errno(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * @param doing  what could not be done with `path`: "opened", "written"
 * @returns the error itself if it is one of ours
 */
export function storageError(error: unknown, { doing, path }: { doing: string; path: string }): VerbatimError {
  if (error instanceof VerbatimError) return error;
  const meaning = MEANINGS[errno(error) ?? ""] ?? {
    ...OTHER,
    what: error instanceof Error ? error.message : String(error),
  };
  return new VerbatimError(meaning.code, `${path} cannot be ${doing}: ${meaning.what}.`, {
    where: path,
    found: errno(error),
    hint: meaning.hint,
    cause: error,
  });
}
