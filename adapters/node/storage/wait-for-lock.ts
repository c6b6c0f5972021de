/** Waits while another process holds the index's writer lock. */

import { setTimeout as sleep } from "node:timers/promises";
import { hasCode, throwIfAborted, type VerbatimError } from "../../../src/errors.js";

interface WaitForLockOptions {
  signal?: AbortSignal | undefined;
  /** Pause between two attempts, in milliseconds. */
  retryMs: number;
  /** Default: no limit. */
  maxAttempts?: number;
  /** Called after the first failed attempt. */
  onLocked?: ((error: VerbatimError) => void) | undefined;
}

/**
 * Repeats `work` while it fails with `index-locked`.
 * @throws what `work` throws; `index-locked` after the last attempt; `aborted`
 */
export async function waitForLock<T>(work: () => Promise<T>, options: WaitForLockOptions): Promise<T> {
  const { signal, retryMs, maxAttempts = Number.POSITIVE_INFINITY, onLocked } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, "index-locked") || attempt === maxAttempts) throw error;
      if (attempt === 1) onLocked?.(error);
    }
    await sleep(retryMs, undefined, { signal }).catch(() => throwIfAborted(signal));
  }
}
