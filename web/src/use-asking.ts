/** One question at a time: a new one ends the one before. */

import { useCallback, useRef, useState } from "preact/hooks";
import { RequestError, type Result } from "./api.js";
import type { Transport } from "./transport.js";

export interface Asking {
  result: Result | undefined;
  busy: boolean;
  /** `result` is of the question under way, not of the one before. */
  fresh: boolean;
  error: string | undefined;
  setError(error: string | undefined): void;
  /** Asks, and tells when there was an answer. An empty question clears the page. */
  run(question: string): Promise<boolean>;
}

export function useAsking(transport: Transport): Asking {
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [fresh, setFresh] = useState(false);
  const [error, setError] = useState<string | undefined>(undefined);
  const underWay = useRef<AbortController | undefined>(undefined);
  const run = useCallback(
    async (question: string) => {
      underWay.current?.abort();
      setError(undefined);
      setFresh(false);
      if (question.trim() === "") {
        setResult(undefined);
        setBusy(false);
        return false;
      }
      const controller = new AbortController();
      underWay.current = controller;
      setBusy(true);
      const { signal } = controller;
      let seen = false;
      try {
        await transport.ask(question, {
          signal,
          onResult: (news) => {
            if (signal.aborted) return;
            seen = true;
            setFresh(true);
            setResult(news);
          },
        });
      } catch (failed) {
        if (signal.aborted) return false;
        if (!seen) setResult(undefined); // what is there already stays
        setError(failed instanceof RequestError ? failed.message : "That did not work. Try again.");
      }
      if (underWay.current === controller) setBusy(false);
      return seen && !signal.aborted;
    },
    [transport],
  );
  return { result, busy, fresh, error, setError, run };
}
