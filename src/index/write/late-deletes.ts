/** Brings a segment that was written in the background up to date with later deletions. */

import { type LiveSegment, markDeleted } from "./writer-state.js";

/** Deletes from `target` what was deleted from a source after the work on `target` began. */
export function applyLateDeletes(
  target: LiveSegment,
  source: {
    live: LiveSegment;
    /** The source's deletions when the work began. */
    deleted: ReadonlySet<number>;
    /** New number of each document, −1 if it was dropped. */
    moved: Int32Array;
    /** Number of passages of each new document. */
    passages: ArrayLike<number>;
  },
): void {
  const { live, deleted, moved, passages } = source;
  for (const document of live.deleted) {
    const number = deleted.has(document) ? -1 : moved[document]!;
    if (number >= 0) markDeleted(target, { document: number, passages: passages[number]! });
  }
}
