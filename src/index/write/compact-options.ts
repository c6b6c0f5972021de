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
export function checkBudget({ maxBytes }: CompactOptions): void {
  if (maxBytes !== undefined && !(maxBytes > 0))
    throw new VerbatimError("invalid-argument", `maxBytes is ${maxBytes}, not above 0.`);
}
