/** How many worker threads a model's network gets. */

import { availableParallelism } from "node:os";
import { VerbatimError } from "../../../src/errors.js";

export const MAX_THREADS = 64;

/**
 * @param given  1 … 64; default: one per core, at most 64
 * @throws VerbatimError `invalid-argument`
 */
export function threadCount(given: number | undefined, cores = availableParallelism()): number {
  const threads = given ?? Math.min(MAX_THREADS, cores);
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw new VerbatimError(
      "invalid-argument",
      `The number of threads must be a whole number from 1 to ${MAX_THREADS}.`,
      { found: threads },
    );
  }
  return threads;
}
