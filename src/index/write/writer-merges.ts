/**
 * Runs the merges of one writer one after the other: chosen and put in place exclusively, written
 * in the background.
 */

import { throwIfAborted } from "../../errors.js";
import { SerialQueue } from "../../serial-queue.js";
import type { ManifestModel } from "../manifest/manifest.js";
import { type MergeCandidate, type MergePlan, pickTiered } from "../merge/merge-policy.js";
import type { Storage } from "../ports.js";
import type { CompactOptions, CompactReport } from "./compact-options.js";
import { candidateOf } from "./merge-candidates.js";
import { SegmentMerge } from "./segment-merge.js";
import type { LiveSegment, WriterState } from "./writer-state.js";

/** Maximum bytes of automatic merges after a commit: a few seconds of work in the background. */
const AUTO_MERGE_BYTES = 256 * 1024 * 1024;

type PickMerge = (candidates: MergeCandidate[], mostBytes: number) => MergePlan | undefined;

/** The parts of a writer that a merge uses. */
export interface MergingWriter {
  /** Runs work while nothing else of the writer runs. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** To be used inside `exclusive`. */
  readonly state: WriterState;
  /** The model for new segments. */
  readonly model: ManifestModel;
  /**
   * Replaces the writer's segments by others with the same content; commits if nothing else waits
   * for a commit.
   */
  replace(segments: LiveSegment[]): Promise<void>;
}

export class WriterMerges {
  #storage: Storage;
  #writer: MergingWriter;
  readonly #queue = new SerialQueue();
  #merging: SegmentMerge | undefined;
  readonly #building = new Set<string>();
  #background: Promise<void> | undefined;
  #stop = new AbortController();

  constructor(storage: Storage, writer: MergingWriter) {
    this.#storage = storage;
    this.#writer = writer;
  }

  /** Segments under construction, which no manifest names yet. */
  get underConstruction(): ReadonlySet<string> {
    return new Set(this.#merging ? [this.#merging.name, ...this.#building] : this.#building);
  }

  /**
   * Runs other work that replaces segments: no merge runs meanwhile, and the files of segment
   * `name` are kept.
   */
  withoutMerges<T>(name: string, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      throwIfAborted(this.#stop.signal);
      this.#building.add(name);
      try {
        return await work(this.#stop.signal);
      } finally {
        this.#building.delete(name);
      }
    });
  }

  /** Resolves when no merge is under way. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Resolves when the work of `startInBackground` is done. */
  get background(): Promise<void> {
    return this.#background ?? Promise.resolve();
  }

  /** Stops the current merge, and all later ones. */
  stop(): void {
    this.#stop.abort();
  }

  startInBackground(onError: ((error: unknown) => void) | undefined): void {
    if (this.#background !== undefined) return;
    const pick: PickMerge = (candidates, mostBytes) => pickTiered(candidates, { mostBytes });
    if (pick(this.#writer.state.segments.map(candidateOf), AUTO_MERGE_BYTES) === undefined) return;
    this.#background = this.run({ maxBytes: AUTO_MERGE_BYTES }, pick)
      .then(
        () => {},
        (error: unknown) => onError?.(error),
      )
      .finally(() => {
        this.#background = undefined;
      });
  }

  /** Merges until `pick` returns nothing or the budget is spent. */
  run(options: CompactOptions, pick: PickMerge): Promise<Pick<CompactReport, "merged" | "removedDocuments">> {
    return this.#queue.run(() => this.#run(options, pick));
  }

  async #run(options: CompactOptions, pick: PickMerge): Promise<Pick<CompactReport, "merged" | "removedDocuments">> {
    const { maxBytes = Number.POSITIVE_INFINITY, onProgress } = options;
    const report = { merged: 0, removedDocuments: 0 };
    let done = 0;
    while (done < maxBytes) {
      const merge = await this.#begin((candidates) => pick(candidates, maxBytes - done), options.signal);
      if (merge === undefined) break;
      const total = done + merge.bytes;
      const onBytes = (bytes: number): void => {
        done += bytes;
        onProgress?.(Math.min(done, total), total);
      };
      report.merged += await this.#finish(merge, { signal: options.signal, onBytes });
      report.removedDocuments += merge.removedDocuments;
      done = total;
    }
    return report;
  }

  #begin(
    pick: (candidates: MergeCandidate[]) => MergePlan | undefined,
    signal: AbortSignal | undefined,
  ): Promise<SegmentMerge | undefined> {
    return this.#writer.exclusive(async () => {
      throwIfAborted(signal);
      throwIfAborted(this.#stop.signal);
      const { manifest, segments } = this.#writer.state;
      const plan = pick(segments.map(candidateOf));
      if (plan === undefined || manifest === undefined) return undefined;
      const known = { ...manifest, model: this.#writer.model };
      const options = { name: this.#writer.state.newName(), plan, manifest: known, signal };
      this.#merging = await SegmentMerge.begin(this.#storage, segments, options);
      return this.#merging;
    });
  }

  /** @returns number of segments that were merged */
  async #finish(
    merge: SegmentMerge,
    options: { signal: AbortSignal | undefined; onBytes: (bytes: number) => void },
  ): Promise<number> {
    const signal = AbortSignal.any(options.signal ? [this.#stop.signal, options.signal] : [this.#stop.signal]);
    try {
      const merged = await merge.write(this.#storage, { signal, onBytes: options.onBytes });
      return await this.#writer.exclusive(async () => {
        const { segments, documents } = this.#writer.state;
        const after = merge.replace(segments, documents, merged);
        this.#merging = undefined;
        await this.#writer.replace(after);
        return segments.length - after.length + 1;
      });
    } finally {
      this.#merging = undefined;
    }
  }
}
