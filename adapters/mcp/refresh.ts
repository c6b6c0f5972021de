/** Moves the index to its newest version before a call. If that fails, calls are answered from the open version. */

import { hasCode } from "../../src/errors.js";
import type { Log } from "../server/http/log.js";
import { failureOf } from "../server/ingest/failure.js";
import type { ServedIndex } from "../server/served-index.js";

/**
 * @returns a function that refreshes the index and logs a failure once, until another one or a success. It throws the
 *   error of `ServedIndex.refresh` if no version is open
 */
export function refreshOrLog(index: ServedIndex, log: Log): () => Promise<void> {
  let logged: string | undefined;
  return async () => {
    try {
      await index.refresh();
      logged = undefined;
    } catch (error) {
      if (!index.isOpen) throw error;
      const { code, message, hint } = failureOf(error);
      if (message === logged) return;
      logged = message;
      const { version } = index.requireOpen();
      const next = hasCode(error, "model-mismatch") ? "Restart this program to answer from the new version." : hint;
      log("warn", "refresh failed", { code, error: message, hint: next, answeringFrom: version });
    }
  };
}
