/** The index writer. One at a time; what it commits survives any crash. */

import { throwIfAborted } from "../../errors.js";
import type { IndexLevel } from "../format/level.js";
import type { ManifestModel } from "../manifest/manifest.js";
import { pickCompact } from "../merge/merge-policy.js";
import type { Storage, StorageLock } from "../ports.js";
import {
  DocumentLookup,
  type StoredDocument,
  type StoredDocumentsCache,
  storedDocuments,
} from "../segment/stored-documents.js";
import { type CompactOptions, type CompactReport, checkBudget } from "./compact-options.js";
import { lockStorage } from "./lock-storage.js";
import { bytesOf } from "./merge-candidates.js";
import { type DocumentMove, moveDocuments, putMoved } from "./move.js";
import { checkUpgrade, type UpgradeOptions, type UpgradeReport, upgradeSegments } from "./upgrade.js";
import { validateDocument, validatePassage } from "./validate.js";
import { withoutSyncs } from "./without-syncs.js";
import { WriterChanges } from "./writer-changes.js";
import type { IndexWriterOptions, StreamedDocument } from "./writer-options.js";
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
  readonly #storage: Storage;
  readonly #lock: StorageLock;
  readonly #options: IndexWriterOptions;
  readonly #changes: WriterChanges;
  readonly #state: WriterState;
  /** Number of the last commit when the writer was opened. */
  readonly #versionBefore: number;
  readonly #model: ManifestModel;
  readonly #lookup: DocumentLookup;

  constructor(
    storage: Storage,
    lock: StorageLock,
    { options, state }: { options: IndexWriterOptions; state: WriterState },
  ) {
    this.#storage = storage;
    this.#lock = lock;
    this.#options = options;
    this.#changes = new WriterChanges(storage, { options, state });
    this.#state = state;
    this.#model = this.#changes.model;
    this.#versionBefore = this.version;
    this.#lookup = new DocumentLookup(storage, { model: this.#model });
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
    return this.#changes.addedLevel;
  }

  /** Whether a full segment is committed. */
  get #commitsFull(): boolean {
    const { autoCommit = true, startEmpty = false } = this.#options;
    return autoCommit && !(startEmpty && this.version === this.#versionBefore);
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
        return await this.#lookup.read(segment.entry, document, { current: this.#state.segments, signal });
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
    return this.#changes.exclusive(async () => {
      throwIfAborted(this.#options.signal);
      const { document, passages } = prepared;
      validateDocument(document);
      if (Array.isArray(passages))
        for (const passage of passages) validatePassage(passage, document.text.length, { model: this.#model });
      const growing = await this.#changes.growing();
      const added = await growing.write(prepared, this.#options.signal);
      this.#state.put(document.id, { segment: growing.live, ...added });
      if (!growing.isFull(this.#options)) return;
      await this.#changes.flush();
      if (this.#commitsFull) await this.#changes.commit();
    });
  }

  /** Deletes a document with the next commit. @returns false if there is none with this id */
  delete(id: string): boolean {
    this.#changes.queue.checkUsable();
    return this.#state.forget(id);
  }

  /**
   * Deletes the documents for which the predicate is true with the next commit. @returns how many
   */
  deleteWhere(
    predicate: (document: StoredDocument) => boolean,
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    return this.#changes.exclusive(async () => {
      await this.#changes.flush();
      const ids: string[] = [];
      for await (const document of storedDocuments(this.#storage, this.#state.segments, {
        model: this.#model,
        ...options,
      }))
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
    const segments = await this.#changes.exclusive(async () => {
      await this.#changes.flush();
      return this.#state.segments.map((segment) => ({ ...segment, deleted: new Set(segment.deleted) }));
    });
    yield* storedDocuments(this.#storage, segments, { model: this.#model, ...options });
  }

  /**
   * Gives documents another id, source and metadata without encoding them again; text and title
   * stay. Visible with the next commit; replaces a document that has the new id. An unknown `from`
   * is skipped. Reads each affected segment once.
   * @returns how many were moved
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#changes.exclusive(async () => {
      await this.#changes.flush();
      const wanted = [...moves].filter(({ from }) => this.has(from) !== undefined);
      if (wanted.length === 0) return 0;
      const state = this.#state;
      const names = { newName: () => state.newName(), known: (id: string) => state.find(id)! };
      const moved = await moveDocuments(this.#storage, wanted, { model: this.#model, ...options, ...names }); // on an error nothing has changed
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
    const done = await this.#changes.merges.run(options, (candidates, mostBytes) =>
      pickCompact(candidates, { mostBytes, full }),
    );
    const version = await this.#changes.exclusive(async () => {
      const version = await this.#changes.commit();
      // Frees the disk space now. Nothing is under construction right after a commit.
      if (done.merged > 0) await this.#changes.collectGarbage([this.#state.manifest!]);
      return version;
    });
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
   * Raises all segments of a lower level, one batch of documents after the other, each with its
   * own commit. The index stays usable, and the same call resumes after a stop. Documents can be
   * added and deleted meanwhile; after the first commit, added ones have the new level.
   * @throws VerbatimError `invalid-argument` (a level below the index's), `aborted`,
   *   `corrupt-segment`, what `encode` and the storage throw: the index is unchanged or improved
   */
  async upgrade(options: UpgradeOptions): Promise<UpgradeReport> {
    checkUpgrade(this.#state.level, options);
    await this.#changes.exclusive(async () => {
      await this.#changes.flush();
      const state = this.#state;
      state.changed ||= state.level !== options.level;
      state.level = options.level;
      state.thinTerms = options.level === "thin" ? (options.thinTerms ?? state.thinTerms) : undefined;
      await this.#changes.commit();
    });
    const report = await upgradeSegments(
      this.#storage,
      { writer: this.#changes, merges: this.#changes.merges, model: this.#model },
      options,
    );
    return { ...report, version: await this.commit() };
  }

  /**
   * Closes the segment under construction. Its files are complete and synced, but take effect with
   * the next commit.
   */
  flush(): Promise<void> {
    return this.#changes.exclusive(() => this.#changes.flush());
  }

  /**
   * Makes all changes so far the index's next version, which is on disk when the promise resolves.
   * @returns the version's number; the old one if nothing has changed
   */
  commit(): Promise<number> {
    return this.#changes.exclusive(() => this.#changes.commit());
  }

  /**
   * Discards uncommitted changes and releases the lock. May be called twice, and after an error.
   */
  async close(): Promise<void> {
    const { queue, merges } = this.#changes;
    if (this.#options.signal?.aborted || queue.failed) merges.stop();
    await merges.background;
    if (!(await queue.close())) return;
    merges.stop();
    await merges.idle();
    await this.#lookup.close();
    await this.#changes.discard();
    await this.#lock.release();
  }
}
