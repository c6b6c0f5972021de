/** Errors as plain objects: a structured clone keeps only the message, JSON not even that. */

import { type ErrorCode, VerbatimError } from "../../src/errors.js";

export interface SerializedError {
  /** "VerbatimError" for the project's own errors; their `code` is an `ErrorCode`. */
  name: string;
  message: string;
  /** Also that of a system error, for example "ENOENT". */
  code?: string;
  hint?: string;
  where?: string;
  found?: unknown;
  expected?: unknown;
  cause?: SerializedError;
  stack?: string;
}

/** Longer chains of causes are cut here. */
const MAX_CAUSES = 4;

/** Details that cannot be cloned are replaced by their string form. */
export function serializeError(error: unknown, causes = MAX_CAUSES): SerializedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack, cause } = error;
  const out: SerializedError = { name, message };
  if (stack !== undefined) out.stack = stack;
  if (cause !== undefined && causes > 0) out.cause = serializeError(cause, causes - 1);
  if (!(error instanceof VerbatimError)) {
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? { ...out, code } : out;
  }
  const { code, hint, where, found, expected } = error;
  out.code = code;
  if (hint !== undefined) out.hint = hint;
  if (where !== undefined) out.where = where;
  if (found !== undefined) out.found = plain(found);
  if (expected !== undefined) out.expected = plain(expected);
  return out;
}

/**
 * @returns a VerbatimError where one was serialized, else an Error with the name, code and stack of
 *   the original
 */
export function deserializeError(serialized: SerializedError): Error {
  const { name, message, code, hint, where, found, expected, stack } = serialized;
  const cause = serialized.cause && deserializeError(serialized.cause);
  const error =
    name === "VerbatimError"
      ? new VerbatimError(code as ErrorCode, message, { hint, where, found, expected, cause })
      : Object.assign(new Error(message, cause && { cause }), { name }, code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}

function plain(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return String(value);
  }
}
