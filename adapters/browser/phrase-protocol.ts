/** What page and phrase worker say to each other. Types only, but for errors, which lose their class on the way. */

import type { AskResult } from "../../src/ask/ask.js";
import { type ErrorCode, VerbatimError } from "../../src/errors.js";

export type PhraseRequest =
  | { kind: "open"; base: string }
  | { kind: "ask"; id: number; question: string; topK: number; explain: boolean }
  | { kind: "stop"; id: number };

export type PhraseReply =
  | { kind: "bytes"; bytes: number }
  | { kind: "ready" }
  | { kind: "failed"; error: ToldError }
  | { kind: "answer"; id: number; result: AskResult }
  | { kind: "refused"; id: number; error: ToldError };

export interface ToldError {
  code: ErrorCode;
  message: string;
  hint?: string;
}

export function toldError(error: unknown): ToldError {
  if (error instanceof VerbatimError) {
    const { code, message, hint } = error;
    return hint === undefined ? { code, message } : { code, message, hint };
  }
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}

export const fromTold = ({ code, message, hint }: ToldError): VerbatimError =>
  new VerbatimError(code, message, hint === undefined ? {} : { hint });
