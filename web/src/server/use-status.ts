/** The server's status, requested again while documents are being indexed, and after a failure. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { type Status, status } from "../api.js";
import { RequestError } from "../request-error.js";

/** Interval of requests while documents are being indexed. */
const POLL_MS = 1000;
/** Interval of requests after a failure. */
const RETRY_MS = 3000;

interface ServerState {
  /** The last status that was received. */
  now: Status | undefined;
  /** Why the last request failed. */
  problem: unknown;
  /** Requests the status now. */
  look: () => Promise<void>;
}

export function useStatus(): ServerState {
  const [now, setNow] = useState<Status | undefined>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
  /** Requests that have ended. Each sets the timer again, also one that changes nothing else. */
  const [looks, setLooks] = useState(0);
  const look = useCallback(async () => {
    try {
      setNow(await status().catch(withoutToken));
      setProblem(undefined);
    } catch (failed) {
      setProblem(failed);
    }
    setLooks((count) => count + 1);
  }, []);
  useEffect(() => void look(), []);
  const isIndexing = now !== undefined && now.scope !== null && now.jobs.length > 0;
  useEffect(() => {
    if (looks === 0 || (!isIndexing && problem === undefined)) return;
    const timer = setTimeout(look, problem === undefined ? POLL_MS : RETRY_MS);
    return () => clearTimeout(timer);
  }, [looks]);
  return { now, problem, look };
}

/** Asks again if the token was refused, which has removed it. @throws RequestError */
function withoutToken(error: unknown): Promise<Status> {
  if (error instanceof RequestError && error.status === 401) return status();
  throw error;
}
