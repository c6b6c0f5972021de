/** What of a snapshot a visitor may see: documents that are not deleted, numbered through without gaps. */

import type { IndexSnapshot, SegmentReader } from "../index/types.js";

/** In place of a number: the passage's document is deleted. */
export const GONE = 0xffffffff;

export interface LivePassages {
  /** New number of every passage of each segment, or GONE. */
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
    const own = new Uint32Array(segment.passageCount).fill(GONE);
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

/** Live passages of a segment with their documents, in order. */
export function* livePassages(segment: SegmentReader): Generator<{ passage: number; document: number }> {
  for (const [passage, document] of segment.passageDocuments.entries()) {
    if (!segment.isDeleted(document)) yield { passage, document };
  }
}
