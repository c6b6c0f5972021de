/** One merge of a writer's segments: chosen, carried out while the writer goes on, and put in the place of what was merged. */

import { VerbatimError } from "../../errors.js";
import { openContainer } from "../format/container.js";
import { levelOf, type Manifest, type ManifestModel, segmentFile } from "../manifest/manifest.js";
import { type MergedSegment, mergeSegments } from "../merge/merge.js";
import type { MergeCandidate, MergePlan } from "../merge/merge-policy.js";
import type { MergeSource } from "../merge/merge-work.js";
import type { Storage } from "../ports.js";
import { readCentroids } from "../segment/coarse-lists.js";
import { LISTED_ROWS } from "../segment/coarse-writer.js";
import { type OpenSegment, openSegment } from "../segment/segment-reader.js";
import { centroidsOfModel } from "../segment/segment-writer.js";
import { bury, type LiveDocument, type LiveSegment, newSegment } from "./writer-state.js";

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

export const candidateOf = ({ entry, deleted, unlisted = false }: LiveSegment): MergeCandidate => ({
  bytes: bytesOf([{ entry }]),
  documents: entry!.documents,
  deleted: deleted.size,
  level: levelOf(entry!),
  unlisted,
});

/** Marks segments whose many coarse rows lie in no lists of the model (it was not at hand when they were written, or had other centroids). */
export async function markUnlisted(
  storage: Storage,
  segments: readonly LiveSegment[],
  { model, signal }: { model: ManifestModel; signal: AbortSignal | undefined },
): Promise<void> {
  const centroids = centroidsOfModel(model);
  if (centroids === undefined) return;
  for (const live of segments) {
    const { entry } = live;
    if (live.unlisted !== undefined || entry === undefined || entry.startRows < LISTED_ROWS) continue;
    const { passageModelHash } = model;
    const file = segmentFile(entry, "coarse")!;
    const container = await openContainer(storage, file, { component: "coarse", passageModelHash, signal });
    try {
      live.unlisted = (await readCentroids(container, model.coarse, signal)) !== centroids;
    } finally {
      await container.close();
    }
  }
}

export const bytesOf = (segments: readonly Pick<LiveSegment, "entry">[]): number =>
  segments.reduce((sum, { entry }) => sum + entry!.files.reduce((bytes, file) => bytes + file.bytes, 0), 0);

interface Part {
  live: LiveSegment;
  open: OpenSegment;
  /** As of the beginning. */
  deleted: ReadonlySet<number>;
}

/** A merge under way. What is deleted from its segments meanwhile is deleted from the result when it takes their place. */
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

  /** Opens the files at once, so that no commit can take them away. The segments are committed ones. */
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

  /** Deleted documents that are left out. */
  get removedDocuments(): number {
    return this.#parts.reduce((sum, { deleted }) => sum + deleted.size, 0);
  }

  /** Writes the merged files. Closes those of the sources, whatever happens. */
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
   * Puts the merged segment in the place of its sources.
   * @param documents  the writer's, by id hash; those of the sources are changed
   * @returns the writer's segments from now on
   */
  replace(segments: readonly LiveSegment[], documents: Iterable<LiveDocument>, merged: MergedSegment): LiveSegment[] {
    const target = newSegment(this.name);
    target.entry = merged.entry;
    const numbers = new Map<LiveSegment, Int32Array>();
    for (const [i, { live, deleted }] of this.#parts.entries()) {
      const moved = merged.documents[i]!;
      numbers.set(live, moved);
      buryMeanwhile(target, { live, deleted, moved, passages: merged.passages });
    }
    repoint(documents, target, numbers);
    const first = segments.findIndex((segment) => numbers.has(segment));
    return segments.flatMap((segment, i) => (i === first ? [target] : numbers.has(segment) ? [] : [segment]));
  }
}

/** What was deleted from a source since the work on `target` began is deleted from it, too. */
export function buryMeanwhile(
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
    if (number >= 0) bury(target, { document: number, passages: passages[number]! });
  }
}

/** The writer's documents that were carried over are in `target` from now on. */
export function repoint(
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
