/** Reads that must all be of one version of an index. */

import type { ServedIndex } from "./served-index.js";

/** How often the work runs at most; the last result counts. */
const ATTEMPTS = 3;

/**
 * Runs the work again if a commit came in between: the places in an answer would be those of one
 * version, and the texts that are read there those of the next.
 * @param work  gets the version that it begins with
 * @throws what the work throws
 */
export async function onOneVersion<T>(
  index: Pick<ServedIndex, "requireOpen">,
  work: (version: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { version } = index.requireOpen();
    const result = await work(version);
    if (index.requireOpen().version === version || attempt === ATTEMPTS) return result;
  }
}
