/** What of a snapshot a visitor may see: documents that are not deleted, numbered through without gaps. */

import type { IndexSnapshot, SegmentReader } from "../index/types.js";

/** In place of a number: the unit's document is deleted. */
export const GONE = 0xffffffff;

export interface LiveUnits {
  /** New number of every term unit of each segment, or GONE. */
  numbers: Uint32Array[];
  units: number;
  passages: number;
  documents: number;
  /** Units of every live passage; undefined where the unit is the passage. */
  unitCounts: Uint16Array | undefined;
}

export function numberLive(snapshot: IndexSnapshot): LiveUnits {
  const { segments } = snapshot;
  const counts: number[] = [];
  const numbers: Uint32Array[] = [];
  let units = 0;
  let documents = 0;
  for (const segment of segments) {
    const own = new Uint32Array(segment.termUnitCount);
    let before = -1;
    for (const [unit, passage] of segment.termUnitPassages.entries()) {
      const document = segment.passageDocuments[passage]!;
      own[unit] = segment.isDeleted(document) ? GONE : units++;
    }
    const perPassage = new Uint16Array(segment.passageCount);
    for (const passage of segment.termUnitPassages) perPassage[passage]!++;
    for (const [passage, document] of segment.passageDocuments.entries()) {
      if (segment.isDeleted(document)) continue;
      counts.push(perPassage[passage]!);
      if (document !== before) documents++;
      before = document;
    }
    numbers.push(own);
  }
  const isPassage = segments.every((segment) => segment.termUnit === "passage");
  const unitCounts = isPassage ? undefined : Uint16Array.from(counts);
  return { numbers, units, passages: counts.length, documents, unitCounts };
}

/** Live passages of a segment with their documents, in order. */
export function* livePassages(segment: SegmentReader): Generator<{ passage: number; document: number }> {
  for (const [passage, document] of segment.passageDocuments.entries()) {
    if (!segment.isDeleted(document)) yield { passage, document };
  }
}
