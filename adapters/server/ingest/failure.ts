import { VerbatimError } from "../../../src/errors.js";
import type { Failure } from "./protocol.js";

/** An error for the log: message and hint of a VerbatimError, the stack of any other. */
export function failureOf(error: unknown): Failure {
  if (error instanceof VerbatimError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: "internal", message: error instanceof Error ? `${error.stack}` : String(error), hint: undefined };
}
