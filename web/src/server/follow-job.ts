/** Follows a job of the server until it has ended. */

import type { Job } from "../api.js";
import { RequestError } from "../request-error.js";

const POLL_MS = 400;
/** Interval after a failed request. */
const RETRY_MS = 2000;
/** Failed requests in a row after which following ends: a server needs a few seconds to restart. */
const MAX_FAILURES = 10;
const ENDED: ReadonlySet<string> = new Set(["done", "failed", "stopped"]);

/**
 * @param read  requests a job
 * @param onProgress  gets the job whenever it has been read
 * @returns the ended job
 * @throws RequestError if the server refuses, or cannot be reached for a while
 */
export async function followJob(
  first: Job,
  { read, onProgress }: { read: (id: string) => Promise<Job>; onProgress: (now: Job) => void },
): Promise<Job> {
  let now = first;
  let failures = 0;
  onProgress(now);
  while (!ENDED.has(now.state)) {
    await new Promise((done) => setTimeout(done, failures === 0 ? POLL_MS : RETRY_MS));
    try {
      now = await read(first.id);
      failures = 0;
      onProgress(now);
    } catch (error) {
      if (!isTemporary(error) || ++failures === MAX_FAILURES) throw error;
    }
  }
  return now;
}

/** The server was not reached, limits requests, or is overloaded; the job is not affected. */
const isTemporary = (error: unknown): boolean =>
  error instanceof RequestError && (error.code === "unreachable" || error.status === 429 || error.status === 503);
