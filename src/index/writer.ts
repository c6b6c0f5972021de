/** "Here is an encoded document: keep it, and never lose it." One writer at a time; what it commits is there after any crash. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import { commitManifest } from "./commit.js";
import { bytesOf, type CompactOptions, type CompactReport } from "./compact.js";
import { documentKey } from "./content-hash.js";
import { collectGarbage } from "./garbage.js";
import { type Manifest, type ManifestModel, segmentName } from "./manifest.js";
import { pickCompact } from "./merge-policy.js";
import { type DocumentMove, moveDocuments } from "./move.js";
import type { Storage, StorageLock } from "./ports.js";
import { type Durability, withoutSyncs } from "./relaxed.js";
import { SegmentWriter } from "./segment-writer.js";
import { type StoredDocument, storedDocuments } from "./stored-documents.js";
import type { PreparedDocument, TermUnit } from "./types.js";
import { type PreparedPassage, validateDocument, validatePassage } from "./validate.js";
import { WriterMerges } from "./writer-merges.js";
import { bury, type LiveDocument, type LiveSegment, loadWriterState, newSegment } from "./writer-state.js";

const DEFAULT_SEGMENT_PASSAGES = 16_384;
const DEFAULT_SEGMENT_BYTES = 1024 * 1024 * 1024;

export interface IndexWriterOptions {
  /** The model that encodes the passages. `ModelInfo` fits. Default: the index's own; a new index needs one. */
  model?: ManifestModel;
  /** What one unit of the term postings is; the same for the life of an index. Default: the index's own, "passage" for a new one. */
  termUnit?: TermUnit;
  /** A segment is closed after the document that brings it to so many passages; ≥ 1, default 16,384. Larger: quicker questions, fewer files, more lost in a crash. */
  segmentPassages?: number;
  /** … or to so many bytes on disk and in postings; default 1 GiB. */
  segmentBytes?: number;
  /** Commit whenever a segment is full (default), so that a crash loses at most one. False: only `commit` commits, all or nothing. */
  autoCommit?: boolean;
  /** Merge small segments in the background after a commit, and wait for it in `close`. Default false. */
  autoMerge?: boolean;
  /** Default "full". */
  durability?: Durability;
  /** Told why a merge in the background came to nothing; the index is as it was. */
  onMergeError?: (error: unknown) => void;
  /** Stops opening and `add`; what was added before can still be committed. */
  signal?: AbortSignal;
}

/** A document whose passages may still be under way: one of any size passes through in bounded memory. */
export type StreamedDocument = Omit<PreparedDocument, "passages"> & {
  passages: PreparedDocument["passages"] | Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;
};

/**
 * Opens an index for writing, or a new one, and takes its lock.
 * @throws VerbatimError `index-missing` (no index and no model to make one for), `index-locked`, `model-mismatch`, `invalid-argument` (another term unit), `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, and what the storage throws
 */
export async function openIndexWriter(place: Storage, options: IndexWriterOptions = {}): Promise<IndexWriter> {
  const storage = options.durability === "relaxed" ? withoutSyncs(place) : place;
  const lock = await storage.lock();
  try {
    return new IndexWriter(storage, lock, { options, state: await loadWriterState(storage, options) });
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

/** Calls may overlap; they are carried out one after the other. After an error of the storage only `close` is of use. */
export class IndexWriter {
  #storage: Storage;
  #lock: StorageLock;
  #options: IndexWriterOptions;
  #manifest: Manifest | undefined;
  #nextSegment: number;
  #documents: Map<string, LiveDocument>;
  #segments: LiveSegment[];
  #open: { writer: SegmentWriter; segment: LiveSegment } | undefined;
  readonly termUnit: TermUnit;
  #rules: { model: ManifestModel; termUnit: TermUnit };
  #changed = false;
  #failure: unknown;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();
  #merges: WriterMerges;

  constructor(
    storage: Storage,
    lock: StorageLock,
    rest: { options: IndexWriterOptions; state: Awaited<ReturnType<typeof loadWriterState>> },
  ) {
    this.#storage = storage;
    this.#lock = lock;
    this.#options = rest.options;
    this.#manifest = rest.state.manifest;
    this.termUnit = rest.state.manifest?.termUnit ?? rest.options.termUnit ?? "passage";
    this.#rules = { model: rest.options.model ?? rest.state.manifest!.model, termUnit: this.termUnit };
    this.#nextSegment = rest.state.manifest?.nextSegment ?? 1;
    this.#documents = rest.state.documents;
    this.#segments = rest.state.segments;
    this.#merges = new WriterMerges(storage, {
      exclusive: (work) => this.#exclusive(work),
      state: () => ({ manifest: this.#manifest, segments: this.#segments, documents: this.#documents }),
      newName: () => segmentName(this.#nextSegment++),
      replace: async (segments) => {
        const clean = !this.#changed && this.#open === undefined;
        this.#segments = segments;
        this.#changed = true;
        if (clean) await this.#commit(); // nobody's uncommitted changes come with it
      },
    });
  }

  /** Number of the last commit; 0 before the first. */
  get version(): number {
    return this.#manifest?.version ?? 0;
  }

  /** Documents that are not deleted, those not committed yet included. */
  get documentCount(): number {
    return this.#documents.size;
  }

  /** What is known of a document, those not committed yet included. */
  has(id: string): { contentHash: string } | undefined {
    const known = this.#documents.get(documentKey(id));
    return known && { contentHash: known.contentHash };
  }

  /**
   * Adds a document, in the place of one of the same id: that one is gone with the commit that brings the new one, not before.
   * If the passages fail under way the document counts as never added, and the writer goes on.
   * @throws VerbatimError `invalid-argument` (nothing was changed), `aborted`, what the passages throw, what the storage throws
   */
  add(prepared: StreamedDocument): Promise<void> {
    return this.#exclusive(async () => {
      throwIfAborted(this.#options.signal);
      const { document, passages } = prepared;
      validateDocument(document);
      if (Array.isArray(passages))
        for (const passage of passages) validatePassage(passage, document.text.length, this.#rules);
      await this.#storing(() => this.#openSegment());
      const { writer, segment } = this.#open!;
      const added = await this.#write(prepared);
      const key = documentKey(document.id);
      this.#forget(key);
      this.#documents.set(key, {
        segment,
        document: added.document,
        passages: added.passages,
        contentHash: added.contentHash,
      });
      const { segmentPassages = DEFAULT_SEGMENT_PASSAGES, segmentBytes = DEFAULT_SEGMENT_BYTES } = this.#options;
      if (writer.passageCount < segmentPassages && writer.bytes < segmentBytes) return;
      await this.#flush();
      if (this.#options.autoCommit ?? true) await this.#commit();
    });
  }

  /** Deletes a document; it is gone with the next commit. @returns false if there is none of this id */
  delete(id: string): boolean {
    this.#checkUsable();
    return this.#forget(documentKey(id));
  }

  /** Deletes what the predicate is true of; gone with the next commit. @returns how many */
  deleteWhere(
    predicate: (document: StoredDocument) => boolean,
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    return this.#exclusive(async () => {
      await this.#flush();
      const ids: string[] = [];
      for await (const document of storedDocuments(this.#storage, this.#segments, { ...this.#rules, ...options }))
        if (predicate(document)) ids.push(document.id);
      return ids.filter((id) => this.#forget(documentKey(id))).length;
    });
  }

  /** All documents that are not deleted as of the first one's delivery, those not committed yet included, in the order of the index. */
  async *documents(options: { signal?: AbortSignal } = {}): AsyncGenerator<StoredDocument> {
    const segments = await this.#exclusive(async () => {
      await this.#flush();
      return this.#segments.map((segment) => ({ ...segment, deleted: new Set(segment.deleted) }));
    });
    yield* storedDocuments(this.#storage, segments, { ...this.#rules, ...options });
  }

  /**
   * Gives documents another id and source, and metadata, without encoding them again: text and title stay. Like `add`, visible with the
   * next commit, in the place of one that has the new id. An unknown `from` is passed over. One pass over each segment that has one.
   * @returns how many were moved
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#exclusive(async () => {
      await this.#flush();
      const wanted = [...moves].filter(({ from }) => this.has(from) !== undefined);
      if (wanted.length === 0) return 0;
      const name = segmentName(this.#nextSegment++);
      const segment = newSegment(name);
      const known = (id: string) => this.#documents.get(documentKey(id))!;
      const rules = { ...this.#rules, ...options, name, known };
      const merged = await moveDocuments(this.#storage, wanted, rules); // on an error nothing has changed
      segment.entry = merged.entry;
      for (const { from, to } of wanted) for (const id of [from, to.id]) this.#forget(documentKey(id));
      this.#segments.push(segment);
      for (const [document, id] of merged.ids.entries()) {
        const passages = merged.passages[document]!;
        const contentHash = merged.contentHashes[document]!;
        this.#documents.set(documentKey(id), { segment, document, passages, contentHash });
      }
      this.#changed = true;
      return wanted.length;
    });
  }

  /**
   * Merges small segments and those with many deletions, and commits. Adding, deleting and asking go on meanwhile; what was not
   * committed is committed with it. When the signal fires, the merges that are done count.
   * @throws VerbatimError `aborted`, `corrupt-segment`, `invalid-argument`, what the storage throws: the index is as it was or better
   */
  async compact(options: CompactOptions = {}): Promise<CompactReport> {
    for (const name of ["maxBytes", "maxMilliseconds"] as const) {
      const value = options[name];
      if (value !== undefined && !(value > 0))
        throw new VerbatimError("invalid-argument", `${name} is ${value}, not above 0.`);
    }
    await this.commit();
    const before = { segments: this.#segments.length, bytes: bytesOf(this.#segments) };
    const full = options.full ?? false;
    const done = await this.#merges.run(options, (candidates, mostBytes) =>
      pickCompact(candidates, { mostBytes, full }),
    );
    const version = await this.commit();
    if (done.merged > 0) await this.#exclusive(() => this.#collectGarbage(undefined)); // give the room back now
    return {
      ...done,
      segmentsBefore: before.segments,
      segmentsAfter: this.#segments.length,
      bytesBefore: before.bytes,
      bytesAfter: bytesOf(this.#segments),
      version,
    };
  }

  /** Closes the segment under construction: its files are complete and synced, but count only with the next commit. */
  flush(): Promise<void> {
    return this.#exclusive(() => this.#flush());
  }

  /**
   * Makes everything added and deleted so far the index's next version. When the promise is fulfilled it is on disk.
   * @returns the version's number; the old one if nothing has changed
   */
  commit(): Promise<number> {
    return this.#exclusive(() => this.#commit());
  }

  /** Gives up what was not committed and releases the lock. May be called twice, and after an error. */
  async close(): Promise<void> {
    if (this.#options.signal?.aborted || this.#failure !== undefined) this.#merges.stop();
    await this.#merges.background;
    await this.#last;
    if (this.#closed) return;
    this.#closed = true;
    this.#merges.stop();
    await this.#merges.idle;
    if (this.#failure === undefined) await this.#removeUncommitted();
    await this.#open?.writer.abandon();
    this.#open = undefined;
    await this.#lock.release();
  }

  /** Files of complete segments that no commit names. Not after a failure: then nobody knows what the last commit was. */
  async #removeUncommitted(): Promise<void> {
    const committed = new Set(this.#manifest?.segments.map(({ name }) => name));
    for (const { name, entry } of this.#segments) {
      if (committed.has(name)) continue;
      for (const file of entry!.files) await this.#storage.remove(file.name).catch(() => {});
    }
  }

  async #openSegment(): Promise<void> {
    if (this.#open) return;
    const name = segmentName(this.#nextSegment);
    const writer = await SegmentWriter.create(this.#storage, name, this.#rules);
    this.#nextSegment++;
    this.#open = { writer, segment: newSegment(name) };
  }

  /** Writes document and passages to the open segment. When the passages fail, what is there of them is marked as deleted. */
  async #write({
    document,
    passages,
  }: StreamedDocument): Promise<{ document: number; passages: number; contentHash: string }> {
    const { writer, segment } = this.#open!;
    await this.#storing(() => writer.beginDocument(document));
    try {
      for await (const passage of passages) {
        throwIfAborted(this.#options.signal);
        validatePassage(passage, document.text.length, this.#rules);
        await this.#storing(() => writer.addPassage(passage));
      }
    } catch (error) {
      if (this.#failure === undefined) {
        const torn = await this.#storing(() => writer.endDocument());
        bury(segment, torn);
      }
      throw error;
    }
    return this.#storing(() => writer.endDocument());
  }

  #forget(key: string): boolean {
    const known = this.#documents.get(key);
    if (!known) return false;
    this.#documents.delete(key);
    bury(known.segment, known);
    this.#changed = true;
    return true;
  }

  async #flush(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    open.segment.entry = await this.#storing(() => open.writer.finish());
    this.#segments.push(open.segment);
    this.#open = undefined;
    this.#changed = true;
  }

  async #commit(): Promise<number> {
    await this.#flush();
    if (!this.#changed && this.#manifest) return this.#manifest.version;
    this.#changed = false; // a deletion from now on belongs to the next commit
    this.#segments = this.#segments.filter(({ entry, deleted }) => deleted.size < entry!.documents);
    const previous = this.#manifest;
    const options = { ...this.#rules, previous, nextSegment: this.#nextSegment };
    this.#manifest = await this.#storing(() => commitManifest(this.#storage, this.#segments, options));
    await this.#collectGarbage(previous);
    if (this.#options.autoMerge) this.#merges.startInBackground(this.#options.onMergeError);
    return this.#manifest.version;
  }

  #collectGarbage(previous: Manifest | undefined): Promise<void> {
    const manifests = previous ? [this.#manifest!, previous] : [this.#manifest!];
    return collectGarbage(this.#storage, manifests, this.#merges.underConstruction);
  }

  /** After a failed write nobody knows what the files hold: only the last commit is true, and a new writer must read it. */
  async #storing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= error ?? new Error("unknown");
      throw error;
    }
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#checkUsable();
      return work();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  #checkUsable(): void {
    if (this.#closed) throw new VerbatimError("invalid-argument", "The index writer is closed.");
    if (this.#failure !== undefined) {
      const hint = "Close it and open the index again: everything that was committed is there.";
      throw new VerbatimError("io-error", "The index writer stopped at an earlier error.", {
        hint,
        cause: this.#failure,
      });
    }
  }
}
