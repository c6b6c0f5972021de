/** An open writer: adds, deletes and merges, and encodes documents on the way in. */

import { withoutNetwork } from "../encode/lexical.js";
import type { Encoder } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { IndexLevel } from "../index/format/level.js";
import type { Storage } from "../index/ports.js";
import type { StoredDocument, StoredDocumentsCache } from "../index/segment/stored-documents.js";
import type { CompactOptions, CompactReport } from "../index/write/compact-options.js";
import type { DocumentMove } from "../index/write/move.js";
import type { UpgradeOptions, UpgradeReport } from "../index/write/upgrade.js";
import { type IndexWriter, openIndexWriter } from "../index/write/writer.js";
import type { IndexWriterOptions } from "../index/write/writer-options.js";
import { completeDocuments, type DocumentInput } from "../ingest/complete-document.js";
import { encodeStored } from "../ingest/encode-stored.js";
import { type IngestOptions, type IngestProgress, ingest } from "../ingest/ingest.js";

/** The only writer of an index. Every commit makes a new version; open indexes keep theirs until `refresh`. */
export class Writer {
  readonly #writer: IndexWriter;
  readonly #encoder: Encoder;
  readonly #onClose: (() => Promise<void>) | undefined;

  /** @internal Use `openWriter`. */
  constructor(parts: { writer: IndexWriter; encoder: Encoder; onClose?: () => Promise<void> }) {
    this.#writer = parts.writer;
    this.#encoder = parts.encoder;
    this.#onClose = parts.onClose;
  }

  /** Number of the last commit; 0 before the first. */
  get version(): number {
    return this.#writer.version;
  }

  /** Number of documents, uncommitted ones included and deleted ones excluded. */
  get documentCount(): number {
    return this.#writer.documentCount;
  }

  /** The content hash of a document, committed or not; undefined if the index does not have it. */
  has(id: string): { contentHash: string } | undefined {
    return this.#writer.has(id);
  }

  /**
   * All documents in the order of the index, without their texts; uncommitted ones included and deleted ones excluded.
   * @param options.cache  for repeated calls: only new segments are read
   */
  documents(options: { signal?: AbortSignal; cache?: StoredDocumentsCache } = {}): AsyncGenerator<StoredDocument> {
    return this.#writer.documents(options);
  }

  /** @internal The document with this id, if it is in a complete segment. */
  find(id: string): Promise<StoredDocument | undefined> {
    return this.#writer.find(id);
  }

  /**
   * Encodes and adds one document, or all of an iterable. A document with a known id replaces the old one, unless
   * its title, text and metadata are the same; then the old one stays as it is, its source included (`move` changes
   * that). Full segments are committed on the way; everything is durable after `commit`.
   * @returns what was added, left unchanged, replaced and skipped
   * @throws VerbatimError `invalid-argument` for a document without id or text, `aborted`, `out-of-space`
   */
  add(
    documents: DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
    options: IngestOptions = {},
  ): Promise<IngestProgress> {
    const encoder = this.#writer.addedLevel === "lexical" ? withoutNetwork(this.#encoder) : this.#encoder;
    return ingest(completeDocuments(documents), this.#writer, { ...options, encoder });
  }

  /**
   * Deletes documents by id, or those for which the predicate returns true. They disappear with the next commit.
   * @returns the number of deleted documents; unknown ids are ignored
   */
  async delete(
    which: Iterable<string> | ((document: StoredDocument) => boolean),
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    if (typeof which === "function") return this.#writer.deleteWhere(which, options);
    if (typeof which === "string")
      throw new VerbatimError("invalid-argument", "delete takes a list of ids.", {
        hint: `Call delete(["${which}"]).`,
      });
    let deleted = 0;
    for (const id of which) if (this.#writer.delete(id)) deleted++;
    return deleted;
  }

  /**
   * Gives documents another id, source and metadata without encoding them again; text and title stay. Visible with
   * the next commit.
   * @returns the number of moved documents; an unknown `from` is skipped
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#writer.move(moves, options);
  }

  /** The level of the index: how much of each passage is stored. */
  get level(): IndexLevel {
    return this.#writer.level;
  }

  /**
   * Raises the index to a level by encoding what is below it, and commits after about every 2,048 passages: open
   * indexes answer meanwhile, and the same call resumes after an interruption. Nothing is removed.
   * @throws VerbatimError `invalid-argument` (a level below the index's), `aborted`, `corrupt-segment`; what was
   *   committed stays
   */
  upgrade(options: Omit<UpgradeOptions, "encode">): Promise<UpgradeReport> {
    const encode = encodeStored(this.#encoder);
    return this.#writer.upgrade({ ...options, encode });
  }

  /** Merges small segments and those with many deletions, and commits; readers and this writer continue meanwhile. */
  compact(options: CompactOptions = {}): Promise<CompactReport> {
    return this.#writer.compact(options);
  }

  /** Makes everything added and deleted so far durable and visible. @returns the version, for `atLeastVersion` */
  commit(): Promise<number> {
    return this.#writer.commit();
  }

  /** Waits for a merge in the background and releases the lock. What was not committed is discarded. */
  async close(): Promise<void> {
    try {
      await this.#writer.close();
    } finally {
      await this.#onClose?.();
    }
  }
}

/** Rules of an index and its writer. */
export type WriterOptions = Pick<
  IndexWriterOptions,
  "level" | "addedLevel" | "thinTerms" | "durability" | "autoMerge" | "onMergeError" | "signal"
>;

export interface OpenWriterOptions extends WriterOptions {
  storage: Storage;
  /** The caller closes it. */
  encoder: Encoder;
  /** @internal Start without the documents of the index: `rebuildIndex`. */
  startEmpty?: boolean;
  /** Runs after the writer has closed: for what was opened together with it. */
  onClose?: () => Promise<void>;
}

/**
 * Opens an index for writing, and creates it if there is none. There is one writer at a time.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `permission-denied`, and those of `openIndex`
 */
export async function openWriter(options: OpenWriterOptions): Promise<Writer> {
  const { storage, encoder, onClose, autoMerge = true, ...rules } = options;
  const writer = await openIndexWriter(storage, { ...rules, autoMerge, model: encoder.info });
  return new Writer({ writer, encoder, onClose });
}
