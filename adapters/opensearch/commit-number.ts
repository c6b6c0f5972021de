/** The state of an index in a cluster: the commit number and the totals. */

import type { Connection } from "./connection.js";
import { STATE_ID } from "./document-entries.js";
import type { Kind } from "./mapping.js";

export interface IndexState {
  /** Number of the last commit, 0 before the first. */
  version: number;
  documents: number;
  passages: number;
  /** Number of passages that are the only one of their document. */
  alone: number;
  /** Order number for the next document. */
  nextOrder: number;
  bytes: number;
}

export async function readVersion(connection: Connection, index: string, signal?: AbortSignal): Promise<number> {
  const { body } = await connection.send<{ _source?: { version: number } }>({
    method: "GET",
    path: `/${index}/_doc/${STATE_ID}`,
    accept: [404],
    signal,
  });
  return body._source?.version ?? 0;
}

/** Increments the commit number, by which readers notice a new version. @returns the new number */
export async function raiseVersion(connection: Connection, index: string): Promise<number> {
  const { body } = await connection.send<{ get: { _source: { version: number } } }>({
    method: "POST",
    path: `/${index}/_update/${STATE_ID}`,
    query: { retry_on_conflict: 20, _source: true },
    body: { script: { source: "ctx._source.version++" }, upsert: { kind: "state" satisfies Kind, version: 1 } },
  });
  return body.get._source.version;
}

/** Reads the visible state. */
export async function readState(connection: Connection, index: string, signal?: AbortSignal): Promise<IndexState> {
  const version = await readVersion(connection, index, signal);
  const ofKind = (kind: Kind, rest: object = {}) => ({
    size: 0,
    track_total_hits: true,
    query: { term: { kind } },
    ...rest,
  });
  const bodies = [
    ofKind("document", { aggs: { last: { max: { field: "order" } } } }),
    ofKind("passage"),
    ofKind("alone"),
  ];
  const [documents, passages, alone] = await connection.searches(`/${index}`, bodies, { signal });
  const { body } = await connection.send<{ _all: { primaries: { store: { size_in_bytes: number } } } }>({
    method: "GET",
    path: `/${index}/_stats/store`,
    signal,
  });
  return {
    version,
    documents: documents!.hits.total!.value,
    passages: passages!.hits.total!.value + alone!.hits.total!.value,
    alone: alone!.hits.total!.value,
    nextOrder: (documents!.aggregations?.last?.value ?? -1) + 1,
    bytes: body._all.primaries.store.size_in_bytes,
  };
}

/** Makes everything acknowledged visible on all replicas. */
export async function refresh(connection: Connection, index: string): Promise<void> {
  await connection.send({ method: "POST", path: `/${index}/_refresh` });
}
