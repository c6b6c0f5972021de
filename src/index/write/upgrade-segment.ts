/** One batch of an upgrade: documents of one segment, encoded again into a new segment. */

import { throwIfAborted } from "../../errors.js";
import type { Document } from "../../types.js";
import type { IndexLevel } from "../format/level.js";
import type { Manifest, ManifestModel, ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { type OpenSegment, openSegment } from "../segment/segment-reader.js";
import { SegmentWriter } from "../segment/segment-writer.js";
import { documentOf } from "../segment/whole-document.js";
import type { PreparedPassage } from "../types.js";
import type { DocumentTable } from "./document-table.js";
import { applyLateDeletes } from "./late-deletes.js";
import { validatePassage } from "./validate.js";
import { type LiveSegment, markDeleted, newSegment } from "./writer-state.js";

/** A stored document with the spans of its passages. */
export interface StoredForEncoding {
  document: Document;
  spans: ReadonlyArray<{ start: number; end: number }>;
}

/** Yields every document in the given order, with exactly its spans as encoded passages. */
export type EncodeStored = (
  documents: AsyncIterable<StoredForEncoding>,
  options: { signal?: AbortSignal },
) => AsyncIterable<{ document: Document; passages: Iterable<PreparedPassage> | AsyncIterable<PreparedPassage> }>;

export interface BatchOptions {
  model: ManifestModel;
  level: IndexLevel;
  thinTerms: number | undefined;
  /** Name of the new segment. */
  name: string;
  batchPassages: number;
  signal?: AbortSignal;
}

interface UpgradedStretch {
  entry: ManifestSegment;
  /** Number of passages of each document. */
  passages: Uint32Array;
}

export class SegmentUpgrade {
  readonly #live: LiveSegment;
  readonly #open: OpenSegment;
  /** Deleted documents when the batch began. */
  readonly #deleted: ReadonlySet<number>;
  readonly #rules: BatchOptions;
  readonly #contentHashes = new WeakMap<Document, string>();
  /** Numbers of the documents in the batch, ascending. */
  readonly #taken: readonly number[];

  private constructor(live: LiveSegment, open: OpenSegment, rules: BatchOptions) {
    this.#live = live;
    this.#open = open;
    this.#rules = rules;
    this.#deleted = new Set(live.deleted);
    this.#taken = batchOf(open, this.#deleted, rules.batchPassages);
  }

  /** Opens the files of a committed segment at once, so that no commit can remove them. */
  static async begin(
    storage: Storage,
    live: LiveSegment,
    options: BatchOptions & { manifest: Manifest },
  ): Promise<SegmentUpgrade> {
    const { manifest, signal } = options;
    return new SegmentUpgrade(live, await openSegment(storage, live.entry!, { manifest, signal }), options);
  }

  /**
   * Writes the new segment's synced files. Always closes those of the old one; on an error the new
   * files are removed.
   */
  async write(
    storage: Storage,
    encode: EncodeStored,
    { onProgress }: { onProgress: (now: { documents: number; passages: number; tokens: number }) => void },
  ): Promise<UpgradedStretch> {
    const { name, signal } = this.#rules;
    const now = { documents: 0, passages: 0, tokens: 0 };
    const counts: number[] = [];
    try {
      const writer = await SegmentWriter.create(storage, name, this.#rules);
      try {
        for await (const { document, passages } of encode(this.#documents(), { signal })) {
          await writer.beginDocument(document, this.#contentHashes.get(document));
          for await (const passage of passages) {
            throwIfAborted(signal);
            validatePassage(passage, document.text.length, this.#rules);
            await writer.addPassage(passage);
            now.passages++;
            now.tokens += passage.encoded.ids.length;
            onProgress(now);
          }
          counts.push((await writer.endDocument()).passages);
          now.documents++;
        }
        return { entry: await writer.finish(), passages: Uint32Array.from(counts) };
      } catch (error) {
        await writer.abandon();
        throw error;
      }
    } finally {
      await this.#open.close();
    }
  }

  /**
   * Puts the new segment before what is left of the old one.
   * @param documents  the writer's, by id hash; those that were encoded are updated
   * @returns the writer's new list of segments
   */
  replace(
    segments: readonly LiveSegment[],
    documents: DocumentTable,
    { entry, passages }: UpgradedStretch,
  ): LiveSegment[] {
    const live = this.#live;
    const target: LiveSegment = { ...newSegment(entry.name), entry };
    const moved = new Int32Array(live.entry!.documents).fill(-1);
    for (const [number, document] of this.#taken.entries()) moved[document] = number;
    applyLateDeletes(target, { live, deleted: this.#deleted, moved, passages });
    documents.reassign(target, new Map([[live, moved]]));
    for (const [number, document] of this.#taken.entries())
      if (!live.deleted.has(document)) markDeleted(live, { document, passages: passages[number]! });
    return segments.flatMap((segment) => (segment === live ? [target, live] : [segment]));
  }

  async *#documents(): AsyncGenerator<StoredForEncoding> {
    const open = this.#open;
    const { signal } = this.#rules;
    const { document: documents, start, end } = open.columns;
    let p = 0;
    for (const number of this.#taken) {
      const record = await open.readDocument(number, signal);
      const document = documentOf(record, await open.readText(number, 0, record.length, signal));
      while (p < documents.length && documents[p]! < number) p++;
      const spans: Array<{ start: number; end: number }> = [];
      for (; documents[p] === number; p++) spans.push({ start: start[p]!, end: end[p]! });
      this.#contentHashes.set(document, record.contentHash);
      yield { document, spans };
    }
  }
}

/** The first live documents with this many passages in total, or all of them; at least one. */
function batchOf(open: OpenSegment, deleted: ReadonlySet<number>, most: number): number[] {
  const counts = new Uint32Array(open.documentCount);
  for (const document of open.columns.document) counts[document]!++;
  const taken: number[] = [];
  let passages = 0;
  for (let document = 0; document < counts.length && passages < most; document++) {
    if (deleted.has(document)) continue;
    taken.push(document);
    passages += counts[document]!;
  }
  return taken;
}
