/**
 * Numbers the passages of a snapshot without the deleted ones, which a published site must not
 * contain.
 */

import type { IndexSnapshot, SegmentReader } from "../index/types.js";

/** Instead of a number, for a passage whose document is deleted. */
export const DELETED = 0xffffffff;

export interface LivePassages {
  /** New number of every passage of each segment, or DELETED. */
  numbers: Uint32Array[];
  passages: number;
  documents: number;
}

export function numberLive(snapshot: IndexSnapshot): LivePassages {
  const { segments } = snapshot;
  const numbers: Uint32Array[] = [];
  let passages = 0;
  let documents = 0;
  for (const segment of segments) {
    const own = new Uint32Array(segment.passageCount).fill(DELETED);
    let before = -1;
    for (const [passage, document] of segment.passageDocuments.entries()) {
      if (segment.isDeleted(document)) continue;
      own[passage] = passages++;
      if (document !== before) documents++;
      before = document;
    }
    numbers.push(own);
  }
  return { numbers, passages, documents };
}

/** The passages of a segment that are not deleted, with their documents, in order. */
export function* livePassages(segment: SegmentReader): Generator<{ passage: number; document: number }> {
  for (const [passage, document] of segment.passageDocuments.entries()) {
    if (!segment.isDeleted(document)) yield { passage, document };
  }
}
