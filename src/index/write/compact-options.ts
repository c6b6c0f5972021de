/** Options and report of an explicit `compact`. */

import { VerbatimError } from "../../errors.js";

export interface CompactOptions {
  signal?: AbortSignal;
  /**
   * Called with the bytes read of segments to merge and the total, which grows when one merge makes
   * another worthwhile.
   */
  onProgress?: (done: number, total: number) => void;
  /** Maximum bytes merged in this call; > 0, default: no limit. */
  maxBytes?: number;
  /** No merge begins after this many milliseconds; > 0, default: no limit. */
  maxMilliseconds?: number;
  /** Removes every deleted document, however few of its segment are deleted. */
  full?: boolean;
}

export interface CompactReport {
  /** Number of segments merged into others. */
  merged: number;
  /** Deleted documents whose bytes were removed. */
  removedDocuments: number;
  segmentsBefore: number;
  segmentsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
  version: number;
}

/** @throws VerbatimError `invalid-argument` */
export function checkBudget(options: CompactOptions): void {
  for (const name of ["maxBytes", "maxMilliseconds"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0))
      throw new VerbatimError("invalid-argument", `${name} is ${value}, not above 0.`);
  }
}
