/** Asks one question at a time; a new question cancels the previous one. */

import { useCallback, useRef, useState } from "preact/hooks";
import type { Result } from "./api.js";
import { RequestError } from "./request-error.js";
import { useTexts } from "./texts/localised.js";
import type { Translator } from "./texts/translator.js";
import type { Transport } from "./transport.js";

export interface Asking {
  result: Result | undefined;
  busy: boolean;
  /** `result` belongs to the current question, not to the previous one. */
  fresh: boolean;
  /** Why the question waits: the index is being built. */
  waiting: string | undefined;
  error: string | undefined;
  setError(error: string | undefined): void;
  /** Asks a question; an empty one clears the page. @returns whether there was a result */
  run(question: string): Promise<boolean>;
}

/** How long to wait before asking again while the index is being built, in milliseconds. */
const RETRY_MS = 1000;

/** Why a question waits. In English, the server's text says more. */
function reasonToWait({ message, progress }: RequestError, t: Translator): string {
  if (t.language === "en" && message !== "")
    return message.replace(/ Try again.*/, " Your question will be answered when it is ready.");
  return progress === undefined
    ? t.text("waitingForIndex")
    : t.text("waitingForShare", { percent: t.percent(progress) });
}

/** Asks, and again while the first documents are being indexed. `onWait` gets the reason. */
async function askPatiently(
  transport: Transport,
  question: string,
  { onWait, ...rest }: { signal: AbortSignal; onResult: (result: Result) => void; onWait: (why: RequestError) => void },
): Promise<void> {
  for (;;) {
    try {
      return await transport.ask(question, rest);
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "index-building" || rest.signal.aborted) throw error;
      onWait(error);
      await new Promise((done) => setTimeout(done, RETRY_MS));
      rest.signal.throwIfAborted();
    }
  }
}

export function useAsking(transport: Transport): Asking {
  const t = useTexts();
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [fresh, setFresh] = useState(false);
  const [waiting, setWaiting] = useState<string | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const current = useRef<AbortController | undefined>(undefined);
  const run = useCallback(
    async (question: string) => {
      current.current?.abort();
      setError(undefined);
      setWaiting(undefined);
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
        await askPatiently(transport, question, {
          signal,
          onWait: (why) => signal.aborted || setWaiting(reasonToWait(why, t)),
          onResult: (next) => {
            if (signal.aborted) return;
            seen = true;
            setWaiting(undefined);
            setFresh(true);
            setResult(next);
          },
        });
      } catch (failed) {
        if (signal.aborted) return false;
        setWaiting(undefined);
        if (!seen) setResult(undefined); // otherwise the first results stay on the page
        setError(t.error(failed, "tryAgain"));
      }
      if (current.current === controller) setBusy(false);
      return seen && !signal.aborted;
    },
    [transport, t],
  );
  return { result, busy, fresh, waiting, error, setError, run };
}
