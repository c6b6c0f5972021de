/** "Here is an encoded document: keep it, and never lose it." One writer at a time; what it commits is there after any crash. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import { commitManifest } from "./commit.js";
import { documentIdHash, toHex } from "./content-hash.js";
import { collectGarbage } from "./garbage.js";
import { type Manifest, type ManifestModel, segmentName } from "./manifest.js";
import type { Storage, StorageLock } from "./ports.js";
import { SegmentWriter } from "./segment-writer.js";
import type { PreparedDocument, TermUnit } from "./types.js";
import { type PreparedPassage, validateDocument, validatePassage } from "./validate.js";
import { bury, type LiveDocument, type LiveSegment, loadWriterState, newSegment } from "./writer-state.js";

const DEFAULT_SEGMENT_PASSAGES = 4096;
const DEFAULT_SEGMENT_BYTES = 256 * 1024 * 1024;

export interface IndexWriterOptions {
  /** The model that encodes the passages. `ModelInfo` fits. */
  model: ManifestModel;
  /** What one unit of the term postings is; the same for the life of an index. Default: the index's own, "passage" for a new one. */
  termUnit?: TermUnit;
  /** A segment is closed after the document that brings it to so many passages; ≥ 1, default 4096. Larger: fewer files, more lost in a crash. */
  segmentPassages?: number;
  /** … or to so many bytes on disk and in postings; default 256 MiB. */
  segmentBytes?: number;
  /** Commit whenever a segment is full (default), so that a crash loses at most one. False: only `commit` commits, all or nothing. */
  autoCommit?: boolean;
  /** Stops opening and `add`; what was added before can still be committed. */
  signal?: AbortSignal;
}

/** A document whose passages may still be under way: one of any size passes through in bounded memory. */
export type StreamedDocument = Omit<PreparedDocument, "passages"> & {
  passages: PreparedDocument["passages"] | Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;
};

/**
 * Opens an index for writing, or a new one, and takes its lock.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `invalid-argument` (another term unit), `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, and what the storage throws
 */
export async function openIndexWriter(storage: Storage, options: IndexWriterOptions): Promise<IndexWriter> {
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
    this.#rules = { model: rest.options.model, termUnit: this.termUnit };
    this.#nextSegment = rest.state.manifest?.nextSegment ?? 1;
    this.#documents = rest.state.documents;
    this.#segments = rest.state.segments;
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
    const known = this.#documents.get(toHex(documentIdHash(id)));
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
      const key = toHex(documentIdHash(document.id));
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
    return this.#forget(toHex(documentIdHash(id)));
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
    await this.#last;
    if (this.#closed) return;
    this.#closed = true;
    await this.#open?.writer.abandon();
    this.#open = undefined;
    await this.#lock.release();
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
    await collectGarbage(this.#storage, previous ? [this.#manifest, previous] : [this.#manifest]);
    return this.#manifest.version;
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
