/** "What does the index in the cluster hold?" Needs no model. */

import { readState } from "./commit-number.js";
import type { Place } from "./connected-index.js";

export interface ClusterTotals {
  /** Number of the last commit, and of the mapping. */
  version: number;
  mapping: number;
  documents: number;
  passages: number;
  /** Of each shard once, and of all its copies. */
  bytes: number;
  bytesOfCopies: number;
  /** Primary shards, and copies of each beside it. */
  shards: number;
  replicas: number;
  /** Of all copies: a question goes through each. */
  segments: number;
  vectors: boolean;
  model: string;
  passageModelHash: string;
}

/** @throws VerbatimError `io-error`, `permission-denied`, `aborted` */
export async function clusterTotals(place: Place, signal?: AbortSignal): Promise<ClusterTotals> {
  const { connection, index, meta } = place;
  const [state, size, settings] = await Promise.all([
    readState(connection, index, signal),
    readSize(place, signal),
    connection.send<Settings>({ method: "GET", path: `/${index}/_settings`, signal }),
  ]);
  const { number_of_shards: shards, number_of_replicas: replicas } = settings.body[index]!.settings.index;
  const { version, documents, passages, bytes } = state;
  return {
    ...{ version, mapping: meta.mapping, documents, passages, bytes, bytesOfCopies: size.bytes },
    ...{ shards: Number(shards), replicas: Number(replicas), segments: size.segments },
    vectors: meta.vectors,
    ...{ model: meta.model.name, passageModelHash: meta.model.passageModelHash },
  };
}

type Settings = Record<string, { settings: { index: { number_of_shards: string; number_of_replicas: string } } }>;

interface Stats {
  _all: { total: { segments: { count: number }; store: { size_in_bytes: number } } };
}

/** Of all copies of all shards. */
export async function readSize(
  { connection, index }: Place,
  signal?: AbortSignal,
): Promise<{ segments: number; bytes: number }> {
  const { body } = await connection.send<Stats>({ method: "GET", path: `/${index}/_stats/segments,store`, signal });
  const { segments, store } = body._all.total;
  return { segments: segments.count, bytes: store.size_in_bytes };
}
