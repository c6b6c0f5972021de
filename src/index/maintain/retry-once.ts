/** Repair gives up nothing for what fails once: a disk may hiccup. */

import { VerbatimError } from "../../errors.js";
import type { Manifest, ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { checkOneSegment } from "./check.js";
import type { IndexProblem } from "./check-problem.js";

/** What fails to be read twice in a row is damaged. Work that may leave files behind must leave them under other names the second time. */
export async function twice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VerbatimError) || error.code !== "io-error") throw error;
    return work();
  }
}

/** What is wrong with files of a segment that are damaged twice in a row. */
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
