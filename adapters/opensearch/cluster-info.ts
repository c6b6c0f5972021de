/** Describes an index in a cluster. Needs no model. */

import { readState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";

interface ClusterTotals {
  /** Number of the last commit, and version of the mapping. */
  version: number;
  mapping: number;
  documents: number;
  passages: number;
  /** Size of the primary shards, and of all shards including replicas. */
  bytes: number;
  bytesOfCopies: number;
  /** Number of primary shards, and of replicas per shard. */
  shards: number;
  replicas: number;
  /** Segments of all shards including replicas. */
  segments: number;
  vectors: boolean;
  model: string;
  passageModelHash: string;
}

/** @throws VerbatimError `io-error`, `permission-denied`, `aborted` */
export async function clusterTotals(connected: ConnectedIndex, signal?: AbortSignal): Promise<ClusterTotals> {
  const { connection, index, meta } = connected;
  const [state, size, settings] = await Promise.all([
    readState(connection, index, signal),
    readSize(connected, signal),
    connection.send<Settings>({ method: "GET", path: `/${index}/_settings`, signal }),
  ]);
  const { number_of_shards: shards, number_of_replicas: replicas } = settings.body[index]!.settings.index;
  const { version, documents, passages, bytes } = state;
  return {
    version,
    mapping: meta.mapping,
    documents,
    passages,
    bytes,
    bytesOfCopies: size.bytes,
    shards: Number(shards),
    replicas: Number(replicas),
    segments: size.segments,
    vectors: meta.vectors,
    model: meta.model.name,
    passageModelHash: meta.model.passageModelHash,
  };
}

type Settings = Record<string, { settings: { index: { number_of_shards: string; number_of_replicas: string } } }>;

interface Stats {
  _all: { total: { segments: { count: number }; store: { size_in_bytes: number } } };
}

/** Totals over all shards including replicas. */
export async function readSize(
  { connection, index }: ConnectedIndex,
  signal?: AbortSignal,
): Promise<{ segments: number; bytes: number }> {
  const { body } = await connection.send<Stats>({ method: "GET", path: `/${index}/_stats/segments,store`, signal });
  const { segments, store } = body._all.total;
  return { segments: segments.count, bytes: store.size_in_bytes };
}
