/** A writer's changes since the last commit, and the commit itself. */

import { type IndexLevel, isBelow } from "../format/level.js";
import type { Manifest, ManifestModel } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { commitManifest } from "./commit.js";
import { collectGarbage, markUncommitted, removeNew, unmarkUncommitted } from "./garbage.js";
import { GrowingSegment } from "./growing-segment.js";
import { type MergingWriter, WriterMerges } from "./writer-merges.js";
import type { IndexWriterOptions } from "./writer-options.js";
import { WriterQueue } from "./writer-queue.js";
import type { LiveSegment, WriterState } from "./writer-state.js";

/** All methods but `exclusive` are to be called inside of it. */
export class WriterChanges implements MergingWriter {
  readonly state: WriterState;
  /** The model for new segments. */
  readonly model: ManifestModel;
  readonly queue = new WriterQueue();
  readonly merges: WriterMerges;
  readonly #storage: Storage;
  readonly #options: IndexWriterOptions;
  #growing: GrowingSegment | undefined;

  constructor(storage: Storage, { options, state }: { options: IndexWriterOptions; state: WriterState }) {
    this.#storage = storage;
    this.#options = options;
    this.state = state;
    this.model = options.model ?? state.manifest!.model;
    this.merges = new WriterMerges(storage, this);
  }

  /** Level of what is added. */
  get addedLevel(): IndexLevel {
    const { addedLevel = this.state.level } = this.#options;
    return isBelow(this.state.level, addedLevel) ? this.state.level : addedLevel;
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.exclusive(work);
  }

  /** The segment that documents are added to. */
  async growing(): Promise<GrowingSegment> {
    if (this.#growing !== undefined) return this.#growing;
    const { state, model, queue } = this;
    const thinTerms = state.level === "thin" ? state.thinTerms : undefined;
    const rules = { model, level: this.addedLevel, thinTerms };
    if (state.manifest === undefined && state.segments.length === 0)
      await queue.storing(() => markUncommitted(this.#storage));
    this.#growing = await GrowingSegment.begin(this.#storage, state.newName(), { rules, queue });
    return this.#growing;
  }

  /** Completes and syncs the files of the growing segment. */
  async flush(): Promise<void> {
    if (this.#growing === undefined) return;
    this.state.segments.push(await this.#growing.finish());
    this.#growing = undefined;
    this.state.changed = true;
  }

  /** @returns the index's version; the old one if nothing has changed */
  async commit(): Promise<number> {
    await this.flush();
    const { state, model } = this;
    const previous = state.manifest;
    if (!state.changed && previous) return previous.version;
    state.changed = false; // later deletions belong to the next commit
    state.segments = state.segments.filter(({ entry, deleted }) => deleted.size < entry!.documents);
    const { level, thinTerms, nextSegment } = state;
    const options = { model, previous, level, thinTerms, nextSegment };
    const committed = await this.queue.storing(() => commitManifest(this.#storage, state.segments, options));
    state.manifest = committed;
    await this.collectGarbage(previous ? [committed, previous] : [committed]);
    if (this.#options.autoMerge) this.merges.startInBackground(this.#options.onMergeError);
    return committed.version;
  }

  async replace(segments: LiveSegment[]): Promise<void> {
    const clean = !this.state.changed && this.#growing === undefined;
    this.state.segments = segments;
    this.state.changed = true;
    if (clean) await this.commit(); // uncommitted changes of callers are not committed with it
  }

  /** Removes files that none of the manifests, and no merge, uses; to be called right after a commit. */
  collectGarbage(manifests: readonly Manifest[]): Promise<void> {
    return collectGarbage(this.#storage, manifests, this.merges.underConstruction);
  }

  /** Removes the files of what was not committed. */
  async discard(): Promise<void> {
    // Not after a failure: then it is unknown whether the last commit was published.
    if (!this.queue.failed) await removeNew(this.#storage, this.state);
    await this.#growing?.abandon();
    this.#growing = undefined;
    if (this.state.manifest === undefined && !this.queue.failed) await unmarkUncommitted(this.#storage);
  }
}
