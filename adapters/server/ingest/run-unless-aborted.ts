import { throwIfAborted } from "../../../src/errors.js";
import type { SerialQueue } from "../../../src/serial-queue.js";

/**
 * Runs work in its turn, as `SerialQueue.run`. If the signal fires before the work has begun, the call ends at once and
 * the work never runs; work that has begun must watch the signal itself.
 * @throws VerbatimError `aborted` if the signal fires before the work has begun; what `work` throws
 */
export function runUnlessAborted<T>(queue: SerialQueue, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      try {
        throwIfAborted(signal);
      } catch (error) {
        reject(error);
      }
    };
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    const turn = queue.run(async () => {
      signal.removeEventListener("abort", leave);
      throwIfAborted(signal);
      return work();
    });
    turn.then(resolve, reject);
  });
}
