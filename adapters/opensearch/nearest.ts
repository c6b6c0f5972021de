/** Fetches the passages whose vectors are nearest to the question's. */

import { VECTOR_SCALE } from "../../src/encode/pack.js";
import type { ConnectedIndex } from "./connected-index.js";
import { type ClusterPassage, passageOf } from "./record-cache.js";
import { FETCHED_FOR_ONE, searchHits } from "./search-page.js";

interface NearestQuestion {
  connected: ConnectedIndex;
  /** The question's vector, float [vector], of length 1. */
  vector: Float32Array;
  /** Number of passages that are wanted; twice as many are fetched. */
  count: number;
  /** Compare every vector instead of searching the graphs, which miss some. */
  compareAll: boolean;
  /** Query that restricts the passages; undefined for all. */
  filter: object | undefined;
  signal: AbortSignal | undefined;
}

/**
 * The cluster compares whole numbers, to which the question's vector is rounded here, so passages at
 * almost equal distances may change places. The search ranks them again by exact products.
 */
export async function fetchNearest(asked: NearestQuestion): Promise<ClusterPassage[]> {
  const { connected, vector, count, compareAll, filter } = asked;
  const size = FETCHED_FOR_ONE * count;
  const bytes = Array.from(vector, (value) => Math.round(VECTOR_SCALE * value));
  const query = compareAll ? scoreEvery(bytes, filter) : searchGraphs(bytes, { k: size, filter });
  const hits = await searchHits(asked, { size, query, _source: false, docvalue_fields: ["blob"] });
  return hits.map((hit) => passageOf(hit, connected.meta.model));
}

function scoreEvery(bytes: number[], filter: object | undefined): object {
  const has = [{ exists: { field: "vector" } }, ...(filter === undefined ? [] : [filter])];
  const params = { field: "vector", query_value: bytes, space_type: "innerproduct" };
  const script = { lang: "knn", source: "knn_score", params };
  return { script_score: { query: { bool: { filter: has } }, script } };
}

function searchGraphs(bytes: number[], { k, filter }: { k: number; filter: object | undefined }): object {
  return { knn: { vector: { vector: bytes, k, ...(filter === undefined ? {} : { filter }) } } };
}
