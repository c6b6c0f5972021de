/**
 * Loads documents into a cluster, passage by passage.
 *
 * The passages and text pieces of a document are sent first. Once they are acknowledged, the
 * entries of an older document with the same id are deleted, and the record is written last. A
 * record therefore means that its document is complete. An interrupted run resumes by sending the
 * documents without a record; sending an entry twice has no effect.
 */

import type { Precision } from "../../src/encode/precision.js";
import { VerbatimError } from "../../src/errors.js";
import { passageGrams, type WholePassage } from "../../src/index/cluster/passage-blob.js";
import { documentContentHash, documentKey } from "../../src/index/format/content-hash.js";
import { DocumentCounts } from "../../src/index/segment/tfidf.js";
import type { PreparedPassage } from "../../src/index/types.js";
import { validateDocument, validatePassage } from "../../src/index/write/validate.js";
import { checkpointsOf } from "../../src/search/locate/text-counts.js";
import type { Document } from "../../src/types.js";
import { BulkLoader, deletion } from "./bulk.js";
import { markUncommitted, raiseVersion, refresh } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import { LOADING_RETRY_MS } from "./connection/request-limits.js";
import {
  type DocumentHead,
  type Entry,
  passageEntry,
  passageId,
  pieceCount,
  pieceEntries,
  pieceId,
  recordEntry,
  recordId,
} from "./document-entries.js";
import { partOfKey } from "./partition.js";

/** Number of documents whose records are sent together. */
const RECORD_BATCH = 500;

/** The part of a document's record that lists its entries. */
interface KnownRecord {
  hash: string;
  passages: number;
  pieces: number;
}

interface Finished {
  record: Entry;
  doc: string;
  now: KnownRecord;
  before: KnownRecord | undefined;
}

type Passages = Iterable<PreparedPassage> | AsyncIterable<PreparedPassage>;

export class Loader {
  readonly connected: ConnectedIndex;
  readonly #bulk: BulkLoader;
  readonly #signal: AbortSignal | undefined;
  readonly #known = new Map<string, KnownRecord | undefined>();
  #finished: Finished[] = [];
  #settling: Promise<void> = Promise.resolve();
  #nextOrder: number;
  #marked = false;

  constructor(connected: ConnectedIndex, { nextOrder, signal }: { nextOrder: number; signal?: AbortSignal }) {
    this.connected = connected;
    this.#bulk = new BulkLoader(connected.connection, connected.index, { signal });
    this.#signal = signal;
    this.#nextOrder = nextOrder;
  }

  /** The record of a document that was looked up or added. */
  known(doc: string): KnownRecord | undefined {
    return this.#known.get(doc);
  }

  /**
   * Looks up documents that are not known yet, whether they are visible or not: those of a run that
   * was cut off are not, but new documents follow them in order.
   */
  async look(docs: readonly string[]): Promise<void> {
    const unknown = docs.filter((doc) => !this.#known.has(doc));
    if (unknown.length === 0) return;
    const { connection, index } = this.connected;
    const found = await connection.entries<KnownRecord & { order: number }>(index, unknown.map(recordId), {
      fields: ["hash", "passages", "pieces", "order"],
      signal: this.#signal,
      retryMs: LOADING_RETRY_MS,
    });
    for (const doc of unknown) {
      const record = found.get(recordId(doc));
      this.#known.set(doc, record);
      if (record !== undefined) this.#nextOrder = Math.max(this.#nextOrder, record.order + 1);
    }
  }

  /** @throws VerbatimError `invalid-argument`, and errors of the passages and the cluster */
  async add(document: Document, passages: Passages, precision: Precision, order?: number): Promise<void> {
    validateDocument(document);
    const { model, vectors } = this.connected.meta;
    const doc = documentKey(document.id);
    await this.look([doc]);
    const head: DocumentHead = {
      doc,
      hash: documentContentHash(document),
      part: partOfKey(doc),
      order: order ?? this.#nextOrder++,
      document,
    };
    await this.#mark();
    const counts = new DocumentCounts();
    let count = 0;
    let pending: WholePassage | undefined;
    const send = (passage: WholePassage) => this.#bulk.add(passageEntry(head, passage, { model, precision, vectors }));
    try {
      for await (const prepared of passages) {
        validatePassage(prepared, document.text.length, { model });
        const { start, end, encoded: whole } = prepared;
        const grams = passageGrams(document.text.slice(start, end));
        for (const [n, bucket] of grams.buckets.entries()) counts.add(bucket, grams.counts[n]!);
        if (pending !== undefined) await send(pending);
        const encoded = { ...whole, units: [whole.units[0] ?? NO_TERMS] };
        pending = { order: head.order, number: count++, alone: false, start, end, encoded, grams };
      }
    } catch (error) {
      await this.#rollBack(head, count).catch(() => {}); // the cluster's own error is the one to report
      throw error;
    }
    if (pending === undefined) throw new VerbatimError("invalid-argument", `"${document.id}" has no passages.`);
    await send({ ...pending, alone: count === 1 });
    const checkpoints = checkpointsOf(document.text);
    for (const piece of pieceEntries(head, checkpoints)) await this.#bulk.add(piece);
    const entries = [...counts.entries()];
    const norm = Math.fround(counts.norm());
    const record = recordEntry(head, { passages: count, checkpoints, norm, counts: entries });
    const now = { hash: head.hash, passages: count, pieces: pieceCount(checkpoints) };
    this.#finished.push({ record, doc, now, before: this.#known.get(doc) });
    this.#known.set(doc, now);
    if (this.#finished.length < RECORD_BATCH) return;
    await this.#settling; // records are at most one batch behind the passages
    this.#settling = this.#settle();
    this.#settling.catch(() => {}); // reported by the next add, or by flush
  }

  /** Deletes the first passages of a document that could not be completed. */
  async #rollBack(head: DocumentHead, passages: number): Promise<void> {
    if (this.#known.get(head.doc)?.hash === head.hash) return; // they are those of the document that is there
    await this.#bulk.flush(); // a deletion must not overtake what it deletes
    for (const id of idsOf(head.doc, { hash: head.hash, passages, pieces: 0 })) await this.#bulk.add(deletion(id));
    await this.#bulk.flush();
  }

  /** Deletes documents. @returns the number that existed */
  async remove(docs: readonly string[]): Promise<number> {
    await this.flush();
    await this.look(docs);
    const there = docs.filter((doc) => this.#known.get(doc) !== undefined);
    if (there.length === 0) return 0;
    await this.#mark();
    for (const doc of there) await this.#bulk.add(deletion(recordId(doc)));
    await this.#bulk.flush(); // a document without a record does not count
    for (const doc of there) {
      for (const id of idsOf(doc, this.#known.get(doc)!)) await this.#bulk.add(deletion(id));
      this.#known.set(doc, undefined);
    }
    await this.#bulk.flush();
    return there.length;
  }

  /** Resolves when everything added is acknowledged, including records. */
  async flush(): Promise<void> {
    await this.#settling;
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const finished = this.#finished;
    this.#finished = [];
    await this.#bulk.flush();
    for (const { doc, now, before } of finished) {
      if (before === undefined) continue;
      const kept = new Set(idsOf(doc, now));
      for (const id of idsOf(doc, before)) if (!kept.has(id)) await this.#bulk.add(deletion(id));
    }
    if (finished.some(({ before }) => before !== undefined)) await this.#bulk.flush();
    for (const { record } of finished) await this.#bulk.add(record);
    await this.#bulk.flush();
  }

  /** Makes everything added visible. @returns the new version */
  async commit(): Promise<number> {
    await this.flush();
    const { connection, index } = this.connected;
    const signal = this.#signal;
    await markUncommitted(connection, index, signal); // another run's commit may have removed the mark
    await refresh(connection, index, signal);
    const version = await raiseVersion(connection, index, signal);
    this.#marked = false;
    return version;
  }

  async close(): Promise<void> {
    await this.connected.connection.close();
  }

  /** Call before the first change. */
  async #mark(): Promise<void> {
    if (this.#marked) return;
    const { connection, index } = this.connected;
    await markUncommitted(connection, index, this.#signal);
    this.#marked = true;
  }
}

const NO_TERMS = { terms: new Uint16Array(0), weights: new Uint8Array(0) };

/** The entries of a document except its record. */
function idsOf(doc: string, { hash, passages, pieces }: KnownRecord): string[] {
  const head = { doc, hash };
  return [
    ...Array.from({ length: passages }, (_, number) => passageId(head, number)),
    ...Array.from({ length: pieces }, (_, number) => pieceId(head, number)),
  ];
}
