/** Waits while another process holds the index's writer lock. */

import { throwIfAborted, VerbatimError } from "../../../src/errors.js";

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
      const isLocked = error instanceof VerbatimError && error.code === "index-locked";
      if (!isLocked || attempt === maxAttempts) throw error;
      if (attempt === 1) onLocked?.(error);
    }
    await pause(retryMs, signal);
    throwIfAborted(signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done, { once: true });
  });
}
