/** Errors on their way from one thread to another: a structured clone keeps the message alone. */

import { type ErrorCode, VerbatimError } from "../../../src/errors.js";

export interface CarriedError {
  /** Undefined where it is not one of ours. */
  code: ErrorCode | undefined;
  message: string;
  hint: string | undefined;
  where: string | undefined;
  /** Of what is not one of ours: where it was thrown. */
  stack: string | undefined;
}

export function carryError(error: unknown): CarriedError {
  if (error instanceof VerbatimError) {
    const { code, message, hint, where } = error;
    return { code, message, hint, where, stack: undefined };
  }
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  return { code: undefined, message, hint: undefined, where: undefined, stack };
}

export function carriedError({ code, message, hint, where, stack }: CarriedError): Error {
  if (code !== undefined) return new VerbatimError(code, message, { hint, where });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
