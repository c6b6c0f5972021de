/** Repair retries once before it declares a file damaged: reads can fail transiently. */

import { VerbatimError } from "../../errors.js";
import type { Manifest, ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { checkOneSegment } from "./check.js";
import type { IndexProblem } from "./check-problem.js";

/** Runs work again after an `io-error`. Work that may leave files behind must use other names the second time. */
export async function retryOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VerbatimError) || error.code !== "io-error") throw error;
    return work();
  }
}

/** Problems of the files of a segment that fail two checks in a row. */
export async function lastingProblems(
  storage: Storage,
  segment: ManifestSegment,
  options: { manifest: Manifest; signal?: AbortSignal; onBytes?: (bytes: number) => void },
): Promise<IndexProblem[]> {
  const first = (await checkOneSegment(storage, segment, options)).problems;
  if (first.length === 0) return first;
  const damaged = new Set(first.map(({ file }) => file));
  const second = (await checkOneSegment(storage, segment, options)).problems;
  return second.filter(({ file }) => damaged.has(file));
}
