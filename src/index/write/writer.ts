/** The index writer. One at a time; what it commits survives any crash. */

import { throwIfAborted } from "../../errors.js";
import { type IndexLevel, isBelow } from "../format/level.js";
import type { Manifest, ManifestModel } from "../manifest/manifest.js";
import { pickCompact } from "../merge/merge-policy.js";
import type { Storage, StorageLock } from "../ports.js";
import {
  type StoredDocument,
  type StoredDocumentsCache,
  storedDocument,
  storedDocuments,
} from "../segment/stored-documents.js";
import { commitManifest } from "./commit.js";
import { type CompactOptions, type CompactReport, checkBudget } from "./compact-options.js";
import { collectGarbage, removeNew } from "./garbage.js";
import { GrowingSegment } from "./growing-segment.js";
import { lockStorage } from "./lock-storage.js";
import { bytesOf, markUnlisted } from "./merge-candidates.js";
import { type DocumentMove, moveDocuments, putMoved } from "./move.js";
import { checkUpgrade, type UpgradeOptions, type UpgradeReport, upgradeSegments } from "./upgrade.js";
import { validateDocument, validatePassage } from "./validate.js";
import { withoutSyncs } from "./without-syncs.js";
import { type MergingWriter, WriterMerges } from "./writer-merges.js";
import type { IndexWriterOptions, StreamedDocument } from "./writer-options.js";
import { WriterQueue } from "./writer-queue.js";
import { loadWriterState, type WriterState } from "./writer-state.js";

/**
 * Opens an index for writing, or creates it, and takes its lock.
 * @throws VerbatimError `index-missing` (no index, and no model to create one for), `index-locked`,
 *   `model-mismatch`, `corrupt-manifest`, `corrupt-segment`, `unsupported-format`, and what the
 *   storage throws
 */
export async function openIndexWriter(place: Storage, options: IndexWriterOptions = {}): Promise<IndexWriter> {
  const { storage, lock } = await lockStorage(options.durability === "relaxed" ? withoutSyncs(place) : place);
  try {
    return new IndexWriter(storage, lock, { options, state: await loadWriterState(storage, options) });
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

/** Calls may overlap; they run one after the other. After a storage error only `close` works. */
export class IndexWriter {
  #storage: Storage;
  #lock: StorageLock;
  #options: IndexWriterOptions;
  #state: WriterState;
  #growing: GrowingSegment | undefined;
  #rules: { model: ManifestModel };
  readonly #queue = new WriterQueue();
  #merges: WriterMerges;
  #parts: { writer: MergingWriter; merges: WriterMerges };

  constructor(
    storage: Storage,
    lock: StorageLock,
    { options, state }: { options: IndexWriterOptions; state: WriterState },
  ) {
    this.#storage = storage;
    this.#lock = lock;
    this.#options = options;
    this.#state = state;
    this.#rules = { model: options.model ?? state.manifest!.model };
    const self: MergingWriter = {
      state,
      model: this.#rules.model,
      exclusive: (work) => this.#queue.exclusive(work),
      replace: async (segments) => {
        const clean = !state.changed && this.#growing === undefined;
        state.segments = segments;
        state.changed = true;
        if (clean) await this.#commit(); // uncommitted changes of callers are not committed with it
      },
    };
    this.#merges = new WriterMerges(storage, self);
    this.#parts = { writer: self, merges: this.#merges };
  }

  /** Number of the last commit; 0 before the first. */
  get version(): number {
    return this.#state.manifest?.version ?? 0;
  }

  /**
   * Level of the index: of what is added, unless the writer was opened with another `addedLevel`.
   */
  get level(): IndexLevel {
    return this.#state.level;
  }

  /** Level of what is added. */
  get addedLevel(): IndexLevel {
    const { addedLevel = this.#state.level } = this.#options;
    return isBelow(this.#state.level, addedLevel) ? this.#state.level : addedLevel;
  }

  /** Live documents, including uncommitted ones. */
  get documentCount(): number {
    return this.#state.documents.size;
  }

  /** What the index knows of a document, uncommitted ones included. */
  has(id: string): { contentHash: string } | undefined {
    const known = this.#state.find(id);
    return known && { contentHash: known.contentHash };
  }

  /**
   * Reads a document of a complete segment. Waits for no other call, because documents may be looked
   * up while `add` takes passages.
   * @returns undefined if there is none, or its segment is still being written
   * @throws VerbatimError `corrupt-segment`, `aborted`, and what the storage throws
   */
  async find(id: string, signal?: AbortSignal): Promise<StoredDocument | undefined> {
    for (;;) {
      const { segment, document = 0 } = this.#state.find(id) ?? {};
      if (segment?.entry === undefined) return undefined;
      try {
        return await storedDocument(this.#storage, segment.entry, { document, ...this.#rules, signal });
      } catch (error) {
        // A merge may have replaced the segment meanwhile.
        if (this.#state.find(id)?.segment === segment) throw error;
      }
    }
  }

  /**
   * Adds a document, replacing one with the same id, which stays visible until the commit. If the
   * passages fail, the document is not added and the writer stays usable.
   * @throws VerbatimError `invalid-argument` (nothing was changed), `aborted`, what the passages
   *   throw, what the storage throws
   */
  add(prepared: StreamedDocument): Promise<void> {
    return this.#queue.exclusive(async () => {
      throwIfAborted(this.#options.signal);
      const { document, passages } = prepared;
      validateDocument(document);
      if (Array.isArray(passages))
        for (const passage of passages) validatePassage(passage, document.text.length, this.#rules);
      this.#growing ??= await this.#begin();
      const growing = this.#growing;
      const added = await growing.write(prepared, this.#options.signal);
      this.#state.put(document.id, { segment: growing.live, ...added });
      if (!growing.isFull(this.#options)) return;
      await this.#flush();
      if (this.#options.autoCommit ?? true) await this.#commit();
    });
  }

  /** Deletes a document with the next commit. @returns false if there is none with this id */
  delete(id: string): boolean {
    this.#queue.checkUsable();
    return this.#state.forget(id);
  }

  /**
   * Deletes the documents for which the predicate is true with the next commit. @returns how many
   */
  deleteWhere(
    predicate: (document: StoredDocument) => boolean,
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    return this.#queue.exclusive(async () => {
      await this.#flush();
      const ids: string[] = [];
      for await (const document of storedDocuments(this.#storage, this.#state.segments, { ...this.#rules, ...options }))
        if (predicate(document)) ids.push(document.id);
      return ids.filter((id) => this.#state.forget(id)).length;
    });
  }

  /**
   * All live documents at the time of the first result, uncommitted ones included, in the order of
   * the index.
   */
  async *documents(
    options: { signal?: AbortSignal; cache?: StoredDocumentsCache } = {},
  ): AsyncGenerator<StoredDocument> {
    const segments = await this.#queue.exclusive(async () => {
      await this.#flush();
      return this.#state.segments.map((segment) => ({ ...segment, deleted: new Set(segment.deleted) }));
    });
    yield* storedDocuments(this.#storage, segments, { ...this.#rules, ...options });
  }

  /**
   * Gives documents another id, source and metadata without encoding them again; text and title
   * stay. Visible with the next commit; replaces a document that has the new id. An unknown `from`
   * is skipped. Reads each affected segment once.
   * @returns how many were moved
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#queue.exclusive(async () => {
      await this.#flush();
      const wanted = [...moves].filter(({ from }) => this.has(from) !== undefined);
      if (wanted.length === 0) return 0;
      const state = this.#state;
      const names = { newName: () => state.newName(), known: (id: string) => state.find(id)! };
      const moved = await moveDocuments(this.#storage, wanted, { ...this.#rules, ...options, ...names }); // on an error nothing has changed
      putMoved(state, wanted, moved);
      return wanted.length;
    });
  }

  /**
   * Merges small segments and those with many deletions, and commits, together with earlier
   * uncommitted changes. Documents can be added and deleted meanwhile. When the signal fires,
   * finished merges are kept.
   * @throws VerbatimError `aborted`, `corrupt-segment`, `invalid-argument`, what the storage
   *   throws: the index is unchanged or improved
   */
  async compact(options: CompactOptions = {}): Promise<CompactReport> {
    checkBudget(options);
    await this.commit();
    const before = { segments: this.#state.segments.length, bytes: bytesOf(this.#state.segments) };
    const full = options.full ?? false;
    const { signal } = options;
    await this.#queue.exclusive(() => markUnlisted(this.#storage, this.#state.segments, { ...this.#rules, signal }));
    const done = await this.#merges.run(options, (candidates, mostBytes) =>
      pickCompact(candidates, { mostBytes, full }),
    );
    const version = await this.commit();
    if (done.merged > 0) await this.#queue.exclusive(() => this.#collectGarbage([this.#state.manifest!])); // frees the disk space now
    return {
      ...done,
      segmentsBefore: before.segments,
      segmentsAfter: this.#state.segments.length,
      bytesBefore: before.bytes,
      bytesAfter: bytesOf(this.#state.segments),
      version,
    };
  }

  /**
   * Raises all segments of a lower level, one stretch of documents after the other, each with its
   * own commit. The index stays usable, and the same call resumes after a stop. Documents can be
   * added and deleted meanwhile; after the first commit, added ones have the new level.
   * @throws VerbatimError `invalid-argument` (a level below the index's), `aborted`,
   *   `corrupt-segment`, what `encode` and the storage throw: the index is unchanged or improved
   */
  async upgrade(options: UpgradeOptions): Promise<UpgradeReport> {
    checkUpgrade(this.#state.level, options);
    await this.#queue.exclusive(async () => {
      await this.#flush();
      const state = this.#state;
      state.changed ||= state.level !== options.level;
      state.level = options.level;
      state.thinTerms = options.level === "thin" ? (options.thinTerms ?? state.thinTerms) : undefined;
      await this.#commit();
    });
    const report = await upgradeSegments(this.#storage, { ...this.#parts, ...this.#rules }, options);
    return { ...report, version: await this.commit() };
  }

  /**
   * Closes the segment under construction. Its files are complete and synced, but take effect with
   * the next commit.
   */
  flush(): Promise<void> {
    return this.#queue.exclusive(() => this.#flush());
  }

  /**
   * Makes all changes so far the index's next version, which is on disk when the promise resolves.
   * @returns the version's number; the old one if nothing has changed
   */
  commit(): Promise<number> {
    return this.#queue.exclusive(() => this.#commit());
  }

  /**
   * Discards uncommitted changes and releases the lock. May be called twice, and after an error.
   */
  async close(): Promise<void> {
    const queue = this.#queue;
    if (this.#options.signal?.aborted || queue.failed) this.#merges.stop();
    await this.#merges.background;
    if (!(await queue.close())) return;
    this.#merges.stop();
    await this.#merges.idle();
    // Not after a failure: then it is unknown whether the last commit was published.
    if (!queue.failed) await removeNew(this.#storage, this.#state);
    await this.#growing?.abandon();
    this.#growing = undefined;
    await this.#lock.release();
  }

  async #begin(): Promise<GrowingSegment> {
    const { level, thinTerms } = this.#state;
    const rules = { ...this.#rules, level: this.addedLevel, thinTerms: level === "thin" ? thinTerms : undefined };
    const rest = { rules, queue: this.#queue };
    return GrowingSegment.begin(this.#storage, this.#state.newName(), rest);
  }

  async #flush(): Promise<void> {
    if (this.#growing === undefined) return;
    this.#state.segments.push(await this.#growing.finish());
    this.#growing = undefined;
    this.#state.changed = true;
  }

  async #commit(): Promise<number> {
    await this.#flush();
    const state = this.#state;
    const previous = state.manifest;
    if (!state.changed && previous) return previous.version;
    state.changed = false; // later deletions belong to the next commit
    state.segments = state.segments.filter(({ entry, deleted }) => deleted.size < entry!.documents);
    const { level, thinTerms, nextSegment } = state;
    const options = { ...this.#rules, previous, level, thinTerms, nextSegment };
    const committed = await this.#queue.storing(() => commitManifest(this.#storage, state.segments, options));
    state.manifest = committed;
    await this.#collectGarbage(previous ? [committed, previous] : [committed]);
    if (this.#options.autoMerge) this.#merges.startInBackground(this.#options.onMergeError);
    return committed.version;
  }

  #collectGarbage(manifests: readonly Manifest[]): Promise<void> {
    return collectGarbage(this.#storage, manifests, this.#merges.underConstruction);
  }
}
