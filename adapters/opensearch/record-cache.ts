/** Reads records, text pieces and passages by id. Concurrent requests are combined into one. */

import { VerbatimError } from "../../src/errors.js";
import type { FetchedPassage } from "../../src/index/cluster/fetched-segment.js";
import { decodePassageBlob } from "../../src/index/cluster/passage-blob.js";
import type { DocumentRecord } from "../../src/index/types.js";
import { CHECKPOINT_UNITS, type TextCheckpoint } from "../../src/search/locate/text-counts.js";
import type { Connection, Hit } from "./connection/connection.js";
import {
  keyOfPassage,
  pieceId,
  pieceIdNear,
  recordId,
  type StoredRecord,
  type StoredText,
  textOf,
} from "./document-entries.js";
import type { ClusterModel } from "./mapping.js";

/** Maximum number of entries per request. */
const AT_ONCE = 256;

/** The record of a document. */
export interface FoundRecord {
  doc: string;
  hash: string;
  order: number;
  passages: number;
  pieces: number;
  record: DocumentRecord;
  /** The text, if it is not stored in pieces. */
  text: string | undefined;
  /** Counts at the piece boundaries, the first at offset 0. */
  checkpoints: TextCheckpoint[];
  norm: number;
}

type RecordSource = Omit<FoundRecord, "record" | "text" | "checkpoints" | "norm"> &
  Partial<StoredText> & { record: StoredRecord };

export function recordOf({ record: stored, text, utf16, ...rest }: RecordSource): FoundRecord {
  const { record, checkpoints, norm } = stored;
  const later = checkpoints.map(([offset, bytes, codePoints, newlines]) => ({ offset, bytes, codePoints, newlines }));
  return {
    ...rest,
    norm,
    text: text === undefined ? undefined : textOf({ text, utf16 }),
    record: { ...record, metadata: record.metadata ?? {}, contentHash: rest.hash, passageCount: rest.passages },
    checkpoints: [{ offset: 0, bytes: 0, codePoints: 0, newlines: 0 }, ...later],
  };
}

/** A passage that was fetched, with the id of its entry. */
export type ClusterPassage = FetchedPassage & { entry: string };

/** @throws VerbatimError `corrupt-segment` */
export function passageOf(hit: Hit, model: ClusterModel): ClusterPassage {
  const blob = hit.fields?.blob?.[0];
  if (typeof blob !== "string") throw damagedEntry(hit._id, "it has no blob");
  return {
    ...decodePassageBlob(Buffer.from(blob, "base64"), model, hit._id),
    key: keyOfPassage(hit._id),
    entry: hit._id,
  };
}

export function damagedEntry(id: string, what: string): VerbatimError {
  return new VerbatimError("corrupt-segment", `The index in the cluster is damaged: entry ${id}: ${what}.`, {
    where: id,
    hint: "Run verbatim check on its address. If documents are being loaded, try again afterwards.",
  });
}

interface Waiting {
  resolve(source: unknown): void;
  reject(error: unknown): void;
}

/** Caches the entries of one index by id. */
export class Records {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #signal: AbortSignal | undefined;
  readonly #known = new Map<string, Promise<unknown>>();
  #waiting = new Map<string, Waiting>();

  constructor(connection: Connection, index: string, signal?: AbortSignal) {
    this.#connection = connection;
    this.#index = index;
    this.#signal = signal;
  }

  /** @throws VerbatimError `corrupt-segment` if it is missing */
  async record(doc: string): Promise<FoundRecord> {
    const found = await this.find(doc);
    if (found === undefined) throw damagedEntry(doc, "it is missing");
    return found;
  }

  async find(doc: string): Promise<FoundRecord | undefined> {
    const source = await this.#source<RecordSource>(recordId(doc));
    return source && recordOf(source);
  }

  /**
   * Requests the records of passages that answers are probably in, and the pieces of text around
   * them, where contexts are looked for: all in one request, before the records say which pieces
   * there are. A failure is reported to those that read the entry.
   */
  expect(passages: readonly ClusterPassage[]): void {
    for (const { key, entry, alone, start, end } of passages) {
      void this.#source(recordId(key));
      const margin = end - start;
      const to = end + margin;
      if (alone && to <= CHECKPOINT_UNITS) continue; // its text is in the record
      for (
        let number = Math.floor(Math.max(0, start - margin) / CHECKPOINT_UNITS);
        number * CHECKPOINT_UNITS < to;
        number++
      )
        void this.#source(pieceIdNear(entry, number));
    }
  }

  /** `text.slice(from, to)` of a document's text. */
  async text(found: FoundRecord, { from, to }: { from: number; to: number }): Promise<string> {
    const { checkpoints } = found;
    if (found.text !== undefined) return found.text.slice(from, to);
    const { length } = found.record;
    const wanted: number[] = [];
    for (const [number, { offset }] of checkpoints.entries()) {
      const end = checkpoints[number + 1]?.offset ?? length;
      if (offset < to && end > from) wanted.push(number);
    }
    if (wanted.length === 0) return "";
    const pieces = await Promise.all(wanted.map((number) => this.#piece(found, number)));
    const base = checkpoints[wanted[0]!]!.offset;
    return pieces.join("").slice(Math.max(0, from - base), to - base);
  }

  async #piece(found: FoundRecord, number: number): Promise<string> {
    const id = pieceId(found, number);
    const source = await this.#source<StoredText>(id);
    if (source === undefined) throw damagedEntry(id, "it is missing");
    return textOf(source);
  }

  #source<T>(id: string): Promise<T | undefined> {
    let known = this.#known.get(id) as Promise<T | undefined> | undefined;
    if (known === undefined) {
      known = new Promise<T | undefined>((resolve, reject) => {
        if (this.#waiting.size === 0) setImmediate(() => this.#fetch());
        this.#waiting.set(id, { resolve: resolve as (source: unknown) => void, reject });
      });
      known.catch(() => this.#known.delete(id));
      this.#known.set(id, known);
    }
    return known;
  }

  #fetch(): void {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let from = 0; from < waiting.length; from += AT_ONCE) {
      const batch = new Map(waiting.slice(from, from + AT_ONCE));
      this.#connection.entries<unknown>(this.#index, [...batch.keys()], { signal: this.#signal }).then(
        (sources) => {
          for (const [id, { resolve }] of batch) resolve(sources.get(id));
        },
        (error) => {
          for (const { reject } of batch.values()) reject(error);
        },
      );
    }
  }
}

/** Reads passages by entry id, in any order; missing ones are left out. */
export async function fetchPassages(
  connection: Connection,
  ids: readonly string[],
  how: { index: string; model: ClusterModel; signal?: AbortSignal },
): Promise<ClusterPassage[]> {
  const found: ClusterPassage[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const values = ids.slice(from, from + AT_ONCE);
    const body = { size: values.length, query: { ids: { values } }, _source: false, docvalue_fields: ["blob"] };
    const reply = await connection.search(`/${how.index}/_search`, body, { signal: how.signal });
    for (const hit of reply.hits.hits) found.push(passageOf(hit, how.model));
  }
  return found;
}
