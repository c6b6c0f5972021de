/** Error codes. Only the outermost adapters (CLI, server) map a code to an exit status. */
export type ErrorCode =
  | "invalid-argument"
  | "unreadable-document"
  | "unsupported-document"
  | "corrupt-segment"
  | "corrupt-manifest"
  | "unsupported-format"
  | "model-mismatch"
  | "model-missing"
  | "index-missing"
  | "index-locked"
  | "out-of-space"
  | "permission-denied"
  | "io-error"
  | "aborted"
  | "internal";

export interface ErrorDetails {
  /** The next step for the reader of the message: one imperative sentence. */
  hint?: string;
  /** What was found, what was expected, and where, as plain values. */
  found?: unknown;
  expected?: unknown;
  where?: string;
  cause?: unknown;
}

/** The one error type of the project: a code for programs, a message and a hint for people. */
export class VerbatimError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly found: unknown;
  readonly expected: unknown;
  readonly where: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "VerbatimError";
    this.code = code;
    this.hint = details.hint;
    this.found = details.found;
    this.expected = details.expected;
    this.where = details.where;
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is VerbatimError {
  return error instanceof VerbatimError && error.code === code;
}

/** @throws VerbatimError `aborted` when the signal has fired */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new VerbatimError("aborted", "The operation was stopped.", { cause: signal.reason });
  }
}

/** Control characters, which begin terminal escapes, and marks that change the text direction. */
export const UNSAFE_CHARACTERS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A word of a suggested command, quoted if a shell would otherwise divide or expand it. */
export function shellWord(text: string): string {
  if (/^[\w./@:%+=,~-]+$/.test(text)) return text;
  return `'${text.replace(UNSAFE_CHARACTERS, " ").replaceAll("'", "'\\''")}'`;
}
