/**
 * The state of an index in a cluster: the commit number, whether there are uncommitted changes, and
 * the totals.
 */

import type { Connection } from "./connection/connection.js";
import { STATE_ID } from "./document-entries.js";
import type { Kind } from "./mapping.js";

export interface IndexState {
  /** Number of the last commit, 0 before the first. */
  version: number;
  /** Whether a run has sent something that it has not committed, or not yet. */
  uncommitted: boolean;
  documents: number;
  passages: number;
  /** Number of passages that are the only one of their document. */
  alone: number;
  /** Order number for the next document. */
  nextOrder: number;
  bytes: number;
}

/** The entry `state`. `record` is a field whose content has no mapping. */
interface StateEntry {
  kind: Kind;
  version: number;
  record?: { uncommitted: boolean };
}

export async function readCommit(
  connection: Connection,
  index: string,
  signal?: AbortSignal,
): Promise<Pick<IndexState, "version" | "uncommitted">> {
  const { body } = await connection.send<{ _source?: StateEntry }>({
    method: "GET",
    path: `/${index}/_doc/${STATE_ID}`,
    accept: [404],
    signal,
  });
  const { version = 0, record } = body._source ?? {};
  return { version, uncommitted: record?.uncommitted ?? false };
}

/**
 * Records that changes are being sent, so that the next run commits them if this one is cut off.
 * Other programs must not notice: it does not change the commit number.
 */
export async function markUncommitted(connection: Connection, index: string, signal?: AbortSignal): Promise<void> {
  const record = { uncommitted: true };
  const update = { doc: { record }, upsert: { kind: "state", version: 0, record } } as const;
  await updateState(connection, index, { ...update, signal });
}

/**
 * Increments the commit number, by which readers notice a new version. Nothing counts as
 * uncommitted any more. @returns the new number
 */
export async function raiseVersion(connection: Connection, index: string, signal?: AbortSignal): Promise<number> {
  const script = { source: "ctx._source.version++; ctx._source.remove('record');" };
  const { version } = await updateState(connection, index, { script, upsert: { kind: "state", version: 1 }, signal });
  return version;
}

async function updateState(
  connection: Connection,
  index: string,
  {
    signal,
    ...update
  }: { upsert: StateEntry; doc?: Partial<StateEntry>; script?: { source: string }; signal: AbortSignal | undefined },
): Promise<StateEntry> {
  const { body } = await connection.send<{ get: { _source: StateEntry } }>({
    method: "POST",
    path: `/${index}/_update/${STATE_ID}`,
    query: { retry_on_conflict: 20, _source: true },
    body: update,
    signal,
  });
  return body.get._source;
}

/** Reads the commit number and the visible totals. */
export async function readState(connection: Connection, index: string, signal?: AbortSignal): Promise<IndexState> {
  const commit = await readCommit(connection, index, signal);
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
    ...commit,
    documents: documents!.hits.total!.value,
    passages: passages!.hits.total!.value + alone!.hits.total!.value,
    alone: alone!.hits.total!.value,
    nextOrder: (documents!.aggregations?.last?.value ?? -1) + 1,
    bytes: body._all.primaries.store.size_in_bytes,
  };
}

/** Makes everything acknowledged visible on all replicas. */
export async function refresh(connection: Connection, index: string, signal?: AbortSignal): Promise<void> {
  await connection.send({ method: "POST", path: `/${index}/_refresh`, signal });
}
