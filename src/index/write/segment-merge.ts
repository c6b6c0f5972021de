/**
 * One merge of a writer's segments: it runs while the writer keeps working, then replaces its
 * sources.
 */

import type { Manifest } from "../manifest/manifest.js";
import { type MergedSegment, mergeSegments } from "../merge/merge.js";
import type { MergePlan } from "../merge/merge-policy.js";
import type { MergeSource } from "../merge/merge-work.js";
import type { Storage } from "../ports.js";
import { type OpenSegment, openSegment } from "../segment/segment-reader.js";
import type { DocumentTable } from "./document-table.js";
import { applyLateDeletes } from "./late-deletes.js";
import { bytesOf } from "./merge-candidates.js";
import { type LiveSegment, newSegment } from "./writer-state.js";

interface Part {
  live: LiveSegment;
  open: OpenSegment;
  /** The deletions when the merge began. */
  deleted: ReadonlySet<number>;
}

/**
 * A running merge. Documents deleted meanwhile are deleted from the result when it replaces its
 * sources.
 */
export class SegmentMerge {
  readonly name: string;
  readonly bytes: number;
  #parts: readonly Part[];
  #manifest: Manifest;

  private constructor(name: string, parts: readonly Part[], manifest: Manifest) {
    this.name = name;
    this.#parts = parts;
    this.bytes = bytesOf(parts.map(({ live }) => live));
    this.#manifest = manifest;
  }

  /** Opens the files of committed segments at once, so that no commit can remove them. */
  static async begin(
    storage: Storage,
    segments: readonly LiveSegment[],
    options: { name: string; plan: MergePlan; manifest: Manifest; signal?: AbortSignal },
  ): Promise<SegmentMerge> {
    const { name, plan, manifest, signal } = options;
    const parts: Part[] = [];
    try {
      for (const live of segments.slice(plan.from, plan.to)) {
        const open = await openSegment(storage, live.entry!, { manifest, signal });
        parts.push({ live, open, deleted: new Set(live.deleted) });
      }
    } catch (error) {
      await Promise.allSettled(parts.map(({ open }) => open.close()));
      throw error;
    }
    return new SegmentMerge(name, parts, manifest);
  }

  /** Deleted documents that are dropped. */
  get removedDocuments(): number {
    return this.#parts.reduce((sum, { deleted }) => sum + deleted.size, 0);
  }

  /** Writes the merged files. Always closes those of the sources. */
  async write(
    storage: Storage,
    options: { signal?: AbortSignal; onBytes?: (bytes: number) => void },
  ): Promise<MergedSegment> {
    const sources: MergeSource[] = this.#parts.map(({ open, deleted }) => ({
      segment: open,
      keep: (document) => !deleted.has(document),
    }));
    try {
      return await mergeSegments(storage, sources, { name: this.name, manifest: this.#manifest, ...options });
    } finally {
      await Promise.allSettled(this.#parts.map(({ open }) => open.close()));
    }
  }

  /**
   * Replaces the sources by the merged segment.
   * @param documents  the writer's, by id hash; those of the sources are updated
   * @returns the writer's new list of segments
   */
  replace(segments: readonly LiveSegment[], documents: DocumentTable, merged: MergedSegment): LiveSegment[] {
    const target = newSegment(this.name);
    target.entry = merged.entry;
    const numbers = new Map<LiveSegment, Int32Array>();
    for (const [i, { live, deleted }] of this.#parts.entries()) {
      const moved = merged.documents[i]!;
      numbers.set(live, moved);
      applyLateDeletes(target, { live, deleted, moved, passages: merged.passages });
    }
    documents.reassign(target, numbers);
    const first = segments.findIndex((segment) => numbers.has(segment));
    return segments.flatMap((segment, i) => (i === first ? [target] : numbers.has(segment) ? [] : [segment]));
  }
}
