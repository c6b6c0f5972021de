/** "Take these documents in": the writer of an index in a cluster. Several may write to one index, each its own documents. */

import type { Encoder } from "../../src/encode/types.js";
import { VerbatimError } from "../../src/errors.js";
import { documentKey } from "../../src/index/content-hash.js";
import type { DocumentMove } from "../../src/index/move.js";
import { precisionOf, reducePassage } from "../../src/index/precision.js";
import type { StoredDocument } from "../../src/index/stored-documents.js";
import type { PreparedPassage } from "../../src/index/types.js";
import { type IngestOptions, type IngestProgress, ingest } from "../../src/ingest.js";
import type { Document } from "../../src/types.js";
import type { Part } from "./documents.js";
import { readWhole, storedDocuments } from "./documents.js";
import type { Loader } from "./loader.js";

export interface WriterParts {
  loader: Loader;
  encoder: Encoder;
  /** Visible documents when it was opened. */
  documentCount: number;
  version: number;
  /** Only documents of these parts are listed. */
  part?: Part;
}

/** As `Writer` of src/engine.ts, for `indexInputs`. */
export class ClusterWriter {
  readonly #loader: Loader;
  readonly #encoder: Encoder;
  readonly #part: Part | undefined;
  #version: number;
  #documentCount: number;
  #changed = false;

  constructor(parts: WriterParts) {
    this.#loader = parts.loader;
    this.#encoder = parts.encoder;
    this.#part = parts.part;
    this.#version = parts.version;
    this.#documentCount = parts.documentCount;
  }

  get version(): number {
    return this.#version;
  }

  /** Times that the cluster was busy, and was given time. */
  get busy(): number {
    return this.#loader.busy;
  }

  get documentCount(): number {
    return this.#documentCount;
  }

  /** What is known of a document that was looked for before. */
  has(id: string): { contentHash: string } | undefined {
    const known = this.#loader.known(documentKey(id));
    return known && { contentHash: known.hash };
  }

  /** All documents, in their order: names only. What was not committed yet may be missing. */
  documents(options: { signal?: AbortSignal } = {}): AsyncGenerator<StoredDocument> {
    return storedDocuments(this.#loader.place, { ...options, part: this.#part });
  }

  /** As `Writer.add`: encodes documents and sends them; what is in the cluster unchanged is not sent again. */
  add(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: Omit<IngestOptions, "termUnit"> = {},
  ): Promise<IngestProgress> {
    const { info } = this.#encoder;
    const precision = precisionOf(info);
    const sink = {
      has: (id: string) => this.has(id),
      add: async ({ document, passages }: { document: Document; passages: Passages }) => {
        const isNew = this.has(document.id) === undefined;
        await this.#loader.add(document, reduced(passages, info.storage), precision);
        this.#changed = true;
        if (isNew) this.#documentCount++;
      },
    };
    const isKept = async (document: Document, contentHash: string): Promise<boolean> => {
      await this.#loader.look([documentKey(document.id)]);
      return (await options.isKept?.(document, contentHash)) ?? false;
    };
    const { termUnit } = this.#loader.place.meta;
    return ingest(documents, sink, { ...options, isKept, encoder: this.#encoder, termUnit });
  }

  /** @returns how many there were; they are gone with the next commit */
  async delete(which: Iterable<string> | ((document: StoredDocument) => boolean)): Promise<number> {
    let ids: string[];
    if (typeof which !== "function") ids = [...which];
    else {
      ids = [];
      for await (const document of this.documents()) if (which(document)) ids.push(document.id);
    }
    const gone = await this.#loader.remove(ids.map((id) => documentKey(id)));
    this.#documentCount -= gone;
    this.#changed ||= gone > 0;
    return gone;
  }

  /** As `Writer.move`: the passages are fetched and sent again under the new name, not encoded. */
  async move(moves: Iterable<DocumentMove>, options: { signal?: AbortSignal } = {}): Promise<number> {
    let moved = 0;
    for (const { from, to } of moves) {
      const key = documentKey(from);
      const whole = await readWhole(this.#loader.place, key, options.signal);
      if (whole === undefined) continue;
      const { id, source, metadata } = to;
      await this.#loader.add({ ...whole.document, id, source, metadata }, whole.passages, whole.precision);
      if (id !== from) await this.#loader.remove([key]);
      this.#changed = true;
      moved++;
    }
    return moved;
  }

  /** Makes everything so far visible to questions. @returns the version */
  async commit(): Promise<number> {
    if (!this.#changed) return this.#version;
    this.#version = await this.#loader.commit();
    this.#changed = false;
    return this.#version;
  }

  async close(): Promise<void> {
    await this.#loader.close();
  }
}

type Passages = Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;

async function* reduced(passages: Passages, storage: Encoder["info"]["storage"]): AsyncGenerator<PreparedPassage> {
  for await (const { start, end, encoded } of passages) yield { start, end, encoded: reducePassage(encoded, storage) };
}

/** @throws VerbatimError `model-mismatch` */
export function checkModel(found: { name: string; passageModelHash: string }, expected: string, shown: string): void {
  if (found.passageModelHash === expected) return;
  throw new VerbatimError("model-mismatch", `${shown} was made with another model (${found.name}).`, {
    found: expected,
    expected: found.passageModelHash,
    hint: "Name that model with --model, or index the documents again into a new index.",
  });
}
