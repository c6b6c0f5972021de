/** Numbers passages and documents consecutively across segments, so that a search is one pass over one array. */

import type { IndexSnapshot, SegmentReader } from "../index/types.js";
import { countAtMost } from "../vectors/ascending.js";

export interface Numbering {
  /** First number of each segment, and the total at the end: [segments + 1] each. */
  firstPassages: Uint32Array;
  firstDocuments: Uint32Array;
  /** Document of every passage. */
  passageDocuments: Uint32Array;
}

export function numberingOf(snapshot: IndexSnapshot): Numbering {
  const { segments } = snapshot;
  const firsts = (count: (segment: SegmentReader) => number): Uint32Array => {
    const out = new Uint32Array(segments.length + 1);
    for (const [s, segment] of segments.entries()) out[s + 1] = out[s]! + count(segment);
    return out;
  };
  const firstPassages = firsts((segment) => segment.passageCount);
  const firstDocuments = firsts((segment) => segment.documentCount);
  return {
    firstPassages,
    firstDocuments,
    passageDocuments: joined(
      segments.map((segment) => segment.passageDocuments),
      firstDocuments,
    ),
  };
}

/** The segments' numbers in one array, each increased by its segment's first. */
function joined(parts: readonly Uint32Array[], firsts: Uint32Array): Uint32Array {
  const out = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const [s, part] of parts.entries()) {
    setRaised(out, at, { numbers: part, by: firsts[s]! });
    at += part.length;
  }
  return out;
}

/** Writes the numbers of one segment as global numbers, from index `at` on. */
export function setRaised(out: Uint32Array, at: number, { numbers, by }: { numbers: Uint32Array; by: number }): void {
  if (by === 0) out.set(numbers, at);
  else for (let n = 0; n < numbers.length; n++) out[at + n] = numbers[n]! + by;
}

/** The r with firsts[r] ≤ number < firsts[r + 1] (the segment of a number); empty ranges are skipped. O(log ranges) */
export function rangeOf(firsts: Uint32Array, number: number): number {
  return countAtMost(firsts, number) - 1;
}
