/** Options and report of an explicit `compact`. */

import { VerbatimError } from "../../errors.js";

export interface CompactOptions {
  signal?: AbortSignal;
  /** Bytes read of those that are to be merged; the total grows when one merge makes another one worthwhile. */
  onProgress?: (done: number, total: number) => void;
  /** Most bytes that are merged in this call; > 0, default: no limit. */
  maxBytes?: number;
  /** No merge begins after so many milliseconds; > 0, default: no limit. */
  maxMilliseconds?: number;
  /** Every deleted document goes, however few of its segment are deleted. */
  full?: boolean;
}

export interface CompactReport {
  /** Segments that were put into others. */
  merged: number;
  /** Deleted documents whose bytes are gone. */
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
