/** "Change this index": the façade of writing, where documents are encoded on their way in. */

import { withoutNetwork } from "../encode/lexical.js";
import type { Encoder } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import type { IndexLevel } from "../index/format/level.js";
import type { Storage } from "../index/ports.js";
import type { StoredDocument, StoredDocumentsCache } from "../index/segment/stored-documents.js";
import type { CompactOptions, CompactReport } from "../index/write/compact-options.js";
import type { DocumentMove } from "../index/write/move.js";
import type { UpgradeOptions, UpgradeReport } from "../index/write/upgrade.js";
import type { Durability } from "../index/write/without-syncs.js";
import { type IndexWriter, openIndexWriter } from "../index/write/writer.js";
import { encodeStored } from "../ingest/encode-stored.js";
import { type IngestOptions, type IngestProgress, ingest } from "../ingest/ingest.js";
import type { Document } from "../types.js";

/** An open writer: the one that may change an index. Every commit is a new version; readers keep theirs. */
export class Writer {
  readonly #writer: IndexWriter;
  readonly #encoder: Encoder;

  constructor(parts: { writer: IndexWriter; encoder: Encoder }) {
    this.#writer = parts.writer;
    this.#encoder = parts.encoder;
  }

  /** Number of the last commit; 0 before the first. */
  get version(): number {
    return this.#writer.version;
  }

  /** Documents that are not deleted, those not committed yet included. */
  get documentCount(): number {
    return this.#writer.documentCount;
  }

  /** What is known of a document, those not committed yet included. */
  has(id: string): { contentHash: string } | undefined {
    return this.#writer.has(id);
  }

  /**
   * All documents that are not deleted, those not committed yet included, in the order of the index: names only, no texts.
   * @param options.cache  for who asks more than once: only what is new is read
   */
  documents(options: { signal?: AbortSignal; cache?: StoredDocumentsCache } = {}): AsyncGenerator<StoredDocument> {
    return this.#writer.documents(options);
  }

  /**
   * Encodes and adds documents; one whose content is already there is left alone, one with a known id and new content is replaced.
   * Full segments are committed on the way; the rest is on disk after `commit`.
   */
  add(documents: AsyncIterable<Document> | Iterable<Document>, options: IngestOptions = {}): Promise<IngestProgress> {
    const encoder = this.#writer.addedLevel === "lexical" ? withoutNetwork(this.#encoder) : this.#encoder;
    return ingest(documents, this.#writer, { ...options, encoder });
  }

  /** The same as `add`: a document with a known id replaces the old one. */
  update(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: IngestOptions = {},
  ): Promise<IngestProgress> {
    return this.add(documents, options);
  }

  /**
   * Deletes documents by id, or those that the predicate is true of. They are gone with the next commit.
   * @returns how many there were; an unknown id counts nothing
   */
  async delete(
    which: Iterable<string> | ((document: StoredDocument) => boolean),
    options: { signal?: AbortSignal } = {},
  ): Promise<number> {
    if (typeof which === "function") return this.#writer.deleteWhere(which, options);
    if (typeof which === "string")
      throw new VerbatimError("invalid-argument", "Ids are a list.", { hint: `Call delete(["${which}"]).` });
    let gone = 0;
    for (const id of which) if (this.#writer.delete(id)) gone++;
    return gone;
  }

  /**
   * Gives documents another id, source and metadata without encoding them again; text and title stay as they are. Visible with the next
   * commit.
   * @returns how many were moved; an unknown `from` is passed over
   */
  move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    return this.#writer.move(moves, options);
  }

  /** Of the index: how much of each passage is kept. */
  get level(): IndexLevel {
    return this.#writer.level;
  }

  /**
   * Raises the index to a level by encoding what is below it, with a commit after every 2,048 passages or so: readers answer meanwhile, and the
   * same call goes on where an earlier one was stopped. Nothing is taken away.
   * @throws VerbatimError `invalid-argument` (a level below the index's), `aborted`, `corrupt-segment`; then the index is as it was or better
   */
  upgrade(options: Omit<UpgradeOptions, "encode">): Promise<UpgradeReport> {
    const encode = encodeStored(this.#encoder);
    return this.#writer.upgrade({ ...options, encode });
  }

  /** Merges small segments and those with many deletions, and commits; readers and this writer go on meanwhile. */
  compact(options: CompactOptions = {}): Promise<CompactReport> {
    return this.#writer.compact(options);
  }

  /** Makes everything added and deleted so far durable and visible. @returns the version, for `atLeastVersion` of a reader */
  commit(): Promise<number> {
    return this.#writer.commit();
  }

  /** Waits for a merge in the background, and gives the lock back. What was not committed is dropped. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}

/**
 * Opens (or creates) an index for writing.
 * @throws VerbatimError `index-locked`, `model-mismatch`, `permission-denied`, and those of `openIndex`
 */
export async function openWriter(options: {
  storage: Storage;
  encoder: Encoder;
  /** How much of each passage is kept, for a new index; an existing one keeps its own until `upgrade`. Default "full". */
  level?: IndexLevel;
  /** Of what this writer adds, at most the index's; `upgrade` raises it. Default: the index's. */
  addedLevel?: IndexLevel;
  /** Term weights kept of a passage at level "thin", 1 … 4096; more find better and cost a byte or two each. Default 64. */
  thinTerms?: number;
  /** "full" (default): an acknowledged commit is on the disk. "relaxed": docs/durability.md says what a power cut may take. */
  durability?: Durability;
  /** Merge small segments in the background after a commit. Default true. */
  autoMerge?: boolean;
  /** Told why a merge in the background came to nothing; the index is as it was, and the next commit tries again. */
  onMergeError?: (error: unknown) => void;
  signal?: AbortSignal;
}): Promise<Writer> {
  const { storage, encoder, signal, durability, autoMerge = true, onMergeError } = options;
  const { level, addedLevel, thinTerms } = options;
  const writer = await openIndexWriter(storage, {
    model: encoder.info,
    ...{ level, addedLevel, thinTerms, signal, durability, autoMerge, onMergeError },
  });
  return new Writer({ writer, encoder });
}
