/** Runs the calls of an assistant: each in its turn, within its time, and with a public error. */

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { hasCode, throwIfAborted } from "../../src/errors.js";
import { errorDetails, type Log } from "../server/http/log.js";
import { Problem, toProblem } from "../server/http/problems.js";
import type { AskDefaults } from "../server/http/service.js";
import type { ServedIndex } from "../server/served-index.js";
import { safeLine } from "./untrusted-text.js";

export interface McpParts {
  index: ServedIndex;
  /** Called before every call: see `refreshOrLog`. */
  refresh: () => Promise<void>;
  /** Version of this package. */
  version: string;
  defaults: AskDefaults;
  log: Log;
  /** Limit of one call, in milliseconds. */
  callMs: number;
  /** Fires when the caller is gone: what waits for its turn is dropped. */
  gone?: AbortSignal;
  /** Delays a call until it may run. Default: it runs at once. */
  turn?: <T>(call: CallCost, work: () => Promise<T>) => Promise<T>;
}

export interface CallCost {
  /** Estimated work, compared with one question. */
  cost: number;
  signal: AbortSignal;
}

/**
 * Runs work on the newest version of the index that can be opened, when its turn has come, within
 * the time of one call.
 * @throws VerbatimError `aborted` if the caller is gone or the time is up; Problem; what `work` throws
 */
export function inTurn<T>(
  { refresh, callMs, gone, turn = (_, work) => work() }: McpParts,
  given: CallCost,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ends = [given.signal, AbortSignal.timeout(callMs), ...(gone === undefined ? [] : [gone])];
  const signal = AbortSignal.any(ends);
  return turn({ cost: given.cost, signal }, async () => {
    try {
      await refresh();
      return await work(signal);
    } catch (error) {
      if (!(error instanceof Problem)) throwIfAborted(signal); // whatever failed because of it
      throw error;
    }
  });
}

/** Runs a tool. An error becomes the tool's own result, with the next step. */
export function toolCaller(parts: McpParts) {
  return async (
    given: CallCost,
    work: (signal: AbortSignal) => Promise<[text: string, output: Record<string, unknown>]>,
  ): Promise<CallToolResult> => {
    try {
      const [text, structuredContent] = await inTurn(parts, given, work);
      return { content: [{ type: "text", text }], structuredContent };
    } catch (error) {
      return { content: [{ type: "text", text: publicMessage(error, parts.log) }], isError: true };
    }
  };
}

/**
 * The message of an error without paths and stacks of this machine. Logs internal errors. A call that was cancelled or
 * took too long is not one.
 */
export function publicMessage(error: unknown, log: Log): string {
  const { document } = toProblem(error);
  const isInternal = document.status >= 500 && !(error instanceof Problem) && !hasCode(error, "aborted");
  if (isInternal) log("error", "failed", errorDetails(error));
  return safeLine([document.title, document.hint].filter(Boolean).join(" "));
}
