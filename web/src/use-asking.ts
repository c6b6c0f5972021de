/** Asks one question at a time; a new question cancels the previous one. */

import { useCallback, useRef, useState } from "preact/hooks";
import { RequestError, type Result } from "./api.js";
import type { Transport } from "./transport.js";

export interface Asking {
  result: Result | undefined;
  busy: boolean;
  /** `result` belongs to the current question, not to the previous one. */
  fresh: boolean;
  error: string | undefined;
  setError(error: string | undefined): void;
  /** Asks a question; an empty one clears the page. @returns whether there was a result */
  run(question: string): Promise<boolean>;
}

export function useAsking(transport: Transport): Asking {
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [fresh, setFresh] = useState(false);
  const [error, setError] = useState<string | undefined>(undefined);
  const current = useRef<AbortController | undefined>(undefined);
  const run = useCallback(
    async (question: string) => {
      current.current?.abort();
      setError(undefined);
      setFresh(false);
      if (question.trim() === "") {
        setResult(undefined);
        setBusy(false);
        return false;
      }
      const controller = new AbortController();
      current.current = controller;
      setBusy(true);
      const { signal } = controller;
      let seen = false;
      try {
        await transport.ask(question, {
          signal,
          onResult: (next) => {
            if (signal.aborted) return;
            seen = true;
            setFresh(true);
            setResult(next);
          },
        });
      } catch (failed) {
        if (signal.aborted) return false;
        if (!seen) setResult(undefined); // otherwise the first results stay on the page
        setError(failed instanceof RequestError ? failed.message : "Something went wrong. Try again.");
      }
      if (current.current === controller) setBusy(false);
      return seen && !signal.aborted;
    },
    [transport],
  );
  return { result, busy, fresh, error, setError, run };
}
