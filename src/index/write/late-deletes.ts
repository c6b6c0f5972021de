/** Bringing a segment that was written in the background up to date with what changed meanwhile. */

import { type LiveDocument, type LiveSegment, markDeleted } from "./writer-state.js";

/** What was deleted from a source since the work on `target` began is deleted from it, too. */
export function applyLateDeletes(
  target: LiveSegment,
  source: {
    live: LiveSegment;
    /** As of the beginning. */
    deleted: ReadonlySet<number>;
    /** New number of each document, −1 for one that was left out. */
    moved: Int32Array;
    /** Of every new document. */
    passages: ArrayLike<number>;
  },
): void {
  const { live, deleted, moved, passages } = source;
  for (const document of live.deleted) {
    const number = deleted.has(document) ? -1 : moved[document]!;
    if (number >= 0) markDeleted(target, { document: number, passages: passages[number]! });
  }
}

/** The writer's documents that were carried over are in `target` from now on. */
export function reassign(
  documents: Iterable<LiveDocument>,
  target: LiveSegment,
  numbers: ReadonlyMap<LiveSegment, Int32Array>,
): void {
  for (const known of documents) {
    const number = numbers.get(known.segment)?.[known.document] ?? -1;
    if (number < 0) continue;
    known.document = number;
    known.segment = target;
  }
}
