/**
 * Adds and deletes documents in a cluster. Several writers can share an index if each has its own
 * documents.
 */

import { precisionOf } from "../../src/encode/precision.js";
import type { Encoder } from "../../src/encode/types.js";
import { VerbatimError } from "../../src/errors.js";
import { documentKey } from "../../src/index/format/content-hash.js";
import type { StoredDocument } from "../../src/index/segment/stored-documents.js";
import type { PreparedPassage } from "../../src/index/types.js";
import type { DocumentMove } from "../../src/index/write/move.js";
import { type IngestOptions, type IngestProgress, ingest } from "../../src/ingest/ingest.js";
import type { Document } from "../../src/types.js";
import { readWhole, storedDocuments } from "./documents.js";
import type { Loader } from "./loader.js";
import type { Part } from "./partition.js";

interface WriterParts {
  loader: Loader;
  /** Number of visible documents when it was opened. */
  documentCount: number;
  version: number;
  /** Whether an earlier run was cut off before its commit. */
  uncommitted: boolean;
  /** List only the documents of this part. */
  part?: Part;
}

/** Deletes documents. Needs no model. */
export class ClusterDeleter {
  protected readonly loader: Loader;
  protected changed = false;
  /** Whether an earlier run was cut off before its commit. */
  protected uncommitted: boolean;
  readonly #part: Part | undefined;
  #version: number;
  #documentCount: number;

  constructor(parts: WriterParts) {
    this.loader = parts.loader;
    this.uncommitted = parts.uncommitted;
    this.#part = parts.part;
    this.#version = parts.version;
    this.#documentCount = parts.documentCount;
  }

  get version(): number {
    return this.#version;
  }

  get documentCount(): number {
    return this.#documentCount;
  }

  /** All documents in order, without texts. Uncommitted ones may be missing. */
  documents(options: { signal?: AbortSignal } = {}): AsyncGenerator<StoredDocument> {
    return storedDocuments(this.loader.connected, { ...options, part: this.#part });
  }

  /** Deletes documents with the next commit. @returns the number that existed */
  async remove(ids: readonly string[]): Promise<number> {
    const gone = await this.loader.remove(ids.map((id) => documentKey(id)));
    this.count(-gone);
    return gone;
  }

  /** Makes all changes visible, with those of a run that was cut off. @returns the new version */
  async commit(): Promise<number> {
    if (!this.changed && !this.uncommitted) return this.#version;
    this.#version = await this.loader.commit();
    this.changed = false;
    this.uncommitted = false;
    return this.#version;
  }

  async close(): Promise<void> {
    await this.loader.close();
  }

  protected count(more: number): void {
    this.#documentCount += more;
    this.changed ||= more !== 0;
  }
}

/** The counterpart of `Writer` for a cluster. */
export class ClusterWriter extends ClusterDeleter {
  readonly #encoder: Encoder;

  constructor({ encoder, ...parts }: WriterParts & { encoder: Encoder }) {
    super(parts);
    this.#encoder = encoder;
  }

  /**
   * Like `Writer.add`: encodes and sends documents. Documents that are unchanged in the cluster are
   * skipped. If all are, an earlier run may have been cut off after it had sent them; they are then
   * committed, because callers do not commit where nothing has changed.
   */
  async add(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: IngestOptions = {},
  ): Promise<IngestProgress> {
    const { loader } = this;
    const { info } = this.#encoder;
    const precision = precisionOf(info);
    const has = (id: string): { contentHash: string } | undefined => {
      const known = loader.known(documentKey(id));
      return known && { contentHash: known.hash };
    };
    const add = async ({ document, passages }: { document: Document; passages: Passages }): Promise<void> => {
      const isNew = has(document.id) === undefined;
      await loader.add(document, passages, precision);
      this.changed = true;
      if (isNew) this.count(1);
    };
    const isKept = async (document: Document, contentHash: string): Promise<boolean> => {
      await loader.look([documentKey(document.id)]);
      return (await options.isKept?.(document, contentHash)) ?? false;
    };
    const done = await ingest(documents, { has, add }, { ...options, isKept, encoder: this.#encoder });
    if (this.uncommitted && done.documents === 0) await this.commit();
    return done;
  }

  /** Like `Writer.delete`. */
  async delete(which: Iterable<string> | ((document: StoredDocument) => boolean)): Promise<number> {
    if (typeof which !== "function") return this.remove([...which]);
    const ids: string[] = [];
    for await (const document of this.documents()) if (which(document)) ids.push(document.id);
    return this.remove(ids);
  }

  /**
   * Like `Writer.move`: fetches the passages and sends them under the new id, without encoding
   * them.
   */
  async move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    let moved = 0;
    await this.loader.flush();
    for (const { from, to } of moves) {
      const key = documentKey(from);
      const whole = await readWhole(this.loader.connected, key, options.signal);
      if (whole === undefined) continue;
      const { id, source, metadata } = to;
      await this.loader.add({ ...whole.document, id, source, metadata }, whole.passages, whole.precision);
      if (id !== from) await this.loader.remove([key]);
      this.changed = true;
      moved++;
    }
    return moved;
  }
}

type Passages = Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;

/** @throws VerbatimError `model-mismatch` */
export function checkModel(
  found: { name: string; passageModelHash: string },
  expected: string | undefined,
  shown: string,
): void {
  if (expected === undefined || found.passageModelHash === expected) return;
  throw new VerbatimError("model-mismatch", `${shown} was created with another model (${found.name}).`, {
    found: expected,
    expected: found.passageModelHash,
    hint: "Use that model with --model, or index the documents into a new index.",
  });
}
