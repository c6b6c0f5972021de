/** Reads documents from a cluster, for listing, copying and moving. */

import type { Precision } from "../../src/encode/precision.js";
import type { FetchedPassage } from "../../src/index/cluster/fetched-segment.js";
import { documentKey } from "../../src/index/format/content-hash.js";
import type { StoredDocument } from "../../src/index/segment/stored-documents.js";
import { documentOf } from "../../src/index/segment/whole-document.js";
import type { PreparedPassage } from "../../src/index/types.js";
import type { Document } from "../../src/types.js";
import type { ConnectedIndex } from "./connected-index.js";
import type { Hit, SearchReply } from "./connection/connection.js";
import { passageId } from "./document-entries.js";
import { isOfPart, PARTS, type Part } from "./partition.js";
import { damagedEntry, type FoundRecord, fetchPassages, Records, recordOf } from "./record-cache.js";

/** Records per request. */
const PAGE = 500;
/** Passages per request. */
const PASSAGES = 64;
/** How long the cluster keeps a point in time between requests. */
const KEEP_ALIVE = "10m";

interface ScanOptions {
  signal?: AbortSignal;
  part?: Part;
  /** Record fields to return; default all. */
  fields?: readonly string[];
}

/** All records at one point in time, by order, then key. */
export async function* scanRecords(connected: ConnectedIndex, options: ScanOptions = {}): AsyncGenerator<FoundRecord> {
  const { connection, index } = connected;
  const { signal, part, fields } = options;
  const { body: opened } = await connection.send<{ pit_id: string }>({
    method: "POST",
    path: `/${index}/_search/point_in_time`,
    query: { keep_alive: KEEP_ALIVE },
    signal,
  });
  const filter: object[] = [{ term: { kind: "document" } }];
  if (part !== undefined && part.n > 1) {
    const numbers = Array.from({ length: PARTS }, (_, number) => number).filter((number) => isOfPart(number, part));
    filter.push({ terms: { part: numbers } });
  }
  let after: Hit["sort"];
  try {
    for (;;) {
      const reply: SearchReply<Parameters<typeof recordOf>[0]> = await connection.search(
        "/_search",
        {
          size: PAGE,
          pit: { id: opened.pit_id, keep_alive: KEEP_ALIVE },
          query: { bool: { filter } },
          sort: [{ order: "asc" }, { doc: "asc" }],
          track_total_hits: false,
          ...(fields === undefined ? {} : { _source: fields }),
          ...(after === undefined ? {} : { search_after: after }),
        },
        { signal },
      );
      const { hits } = reply.hits;
      for (const { _source } of hits) yield recordOf(_source!);
      after = hits.at(-1)?.sort;
      if (hits.length < PAGE) return;
    }
  } finally {
    const body = { pit_id: [opened.pit_id] };
    await connection.send({ method: "DELETE", path: "/_search/point_in_time", body, accept: [404] }).catch(() => {});
  }
}

/** All documents without their source maps. */
export async function* storedDocuments(
  connected: ConnectedIndex,
  options: ScanOptions,
): AsyncGenerator<StoredDocument> {
  const fields = ["doc", "hash", "order", "passages", "pieces"];
  const ofRecord = ["id", "title", "source", "metadata", "length"].map((name) => `record.record.${name}`);
  const wanted = { ...options, fields: [...fields, ...ofRecord, "record.checkpoints", "record.norm"] };
  for await (const { record, hash, passages } of scanRecords(connected, wanted)) {
    const { id, title, source, metadata = {} } = record;
    yield { id, title, source, metadata, contentHash: hash, passages };
  }
}

/** A document with its text; undefined if there is none with this id. @throws VerbatimError `corrupt-segment` */
export async function readDocument(
  { connection, index }: ConnectedIndex,
  id: string,
  signal?: AbortSignal,
): Promise<Document | undefined> {
  const records = new Records(connection, index, signal);
  const found = await records.find(documentKey(id));
  return found && documentOf(found.record, await records.text(found, { from: 0, to: found.record.length }));
}

/** A document with its passages as stored. */
interface WholeDocument {
  document: Document;
  passages: AsyncGenerator<PreparedPassage>;
  precision: Precision;
  found: FoundRecord;
}

/**
 * @returns undefined if it does not exist @throws VerbatimError `corrupt-segment` if a part of it
 *   is missing
 */
export async function readWhole(
  connected: ConnectedIndex,
  doc: string,
  signal?: AbortSignal,
): Promise<WholeDocument | undefined> {
  const records = new Records(connected.connection, connected.index, signal);
  const found = await records.find(doc);
  if (found === undefined) return undefined;
  return wholeOf(connected, found, { records, signal });
}

export async function wholeOf(
  connected: ConnectedIndex,
  found: FoundRecord,
  { records, signal }: { records: Records; signal?: AbortSignal },
): Promise<WholeDocument> {
  const text = await records.text(found, { from: 0, to: found.record.length });
  const all = passagesOf(connected, found, signal);
  const first = (await all.next()).value as FetchedPassage;
  async function* passages(): AsyncGenerator<PreparedPassage> {
    yield first;
    yield* all;
  }
  return {
    document: documentOf(found.record, text),
    passages: passages(),
    precision: first.precision,
    found,
  };
}

/** Reads passages in order. @throws VerbatimError `corrupt-segment` if one is missing */
async function* passagesOf(
  connected: ConnectedIndex,
  found: FoundRecord,
  signal?: AbortSignal,
): AsyncGenerator<FetchedPassage> {
  const { connection, index, meta } = connected;
  for (let from = 0; from < found.passages; from += PASSAGES) {
    const numbers = Array.from({ length: Math.min(PASSAGES, found.passages - from) }, (_, n) => from + n);
    const ids = numbers.map((number) => passageId(found, number));
    const fetched = await fetchPassages(connection, ids, { index, model: meta.model, signal });
    const byNumber = new Map(fetched.map((passage) => [passage.number, passage]));
    for (const number of numbers) {
      const passage = byNumber.get(number);
      if (passage === undefined) throw damagedEntry(passageId(found, number), "it is missing");
      yield passage;
    }
  }
}
