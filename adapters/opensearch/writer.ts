/** "Take these documents in, and those out": writing to an index in a cluster. Several may write to one, each its own documents. */

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

export interface WriterParts {
  loader: Loader;
  /** Visible documents when it was opened. */
  documentCount: number;
  version: number;
  /** Only documents of this part are listed. */
  part?: Part;
}

/** Takes documents out. Needs no model. */
export class ClusterDeleter {
  protected readonly loader: Loader;
  protected changed = false;
  readonly #part: Part | undefined;
  #version: number;
  #documentCount: number;

  constructor(parts: WriterParts) {
    this.loader = parts.loader;
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

  /** All documents, in their order: names only. What was not committed yet may be missing. */
  documents(options: { signal?: AbortSignal } = {}): AsyncGenerator<StoredDocument> {
    return storedDocuments(this.loader.place, { ...options, part: this.#part });
  }

  /** @returns how many there were; they are gone with the next commit */
  async take(ids: readonly string[]): Promise<number> {
    const gone = await this.loader.remove(ids.map((id) => documentKey(id)));
    this.count(-gone);
    return gone;
  }

  /** Makes everything so far visible to questions. @returns the version */
  async commit(): Promise<number> {
    if (!this.changed) return this.#version;
    this.#version = await this.loader.commit();
    this.changed = false;
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

/** As `Writer` of src/api/open-index.ts, for `indexInputs`. */
export class ClusterWriter extends ClusterDeleter {
  readonly #encoder: Encoder;

  constructor({ encoder, ...parts }: WriterParts & { encoder: Encoder }) {
    super(parts);
    this.#encoder = encoder;
  }

  /** As `Writer.add`: encodes documents and sends them; what is in the cluster unchanged is not sent again. */
  add(documents: AsyncIterable<Document> | Iterable<Document>, options: IngestOptions = {}): Promise<IngestProgress> {
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
    return ingest(documents, { has, add }, { ...options, isKept, encoder: this.#encoder });
  }

  /** As `Writer.delete`. */
  async delete(which: Iterable<string> | ((document: StoredDocument) => boolean)): Promise<number> {
    if (typeof which !== "function") return this.take([...which]);
    const ids: string[] = [];
    for await (const document of this.documents()) if (which(document)) ids.push(document.id);
    return this.take(ids);
  }

  /** As `Writer.move`: the passages are fetched and sent again under the new name, not encoded. */
  async move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    let moved = 0;
    await this.loader.flush();
    for (const { from, to } of moves) {
      const key = documentKey(from);
      const whole = await readWhole(this.loader.place, key, options.signal);
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
  throw new VerbatimError("model-mismatch", `${shown} was made with another model (${found.name}).`, {
    found: expected,
    expected: found.passageModelHash,
    hint: "Name that model with --model, or index the documents again into a new index.",
  });
}
