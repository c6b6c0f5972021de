/** Rankings from the cluster, and how many of their passages to fetch. */

import type { ConnectedIndex } from "./connected-index.js";
import type { Hit } from "./connection.js";

/**
 * Passages fetched with the first ranking, per requested passage. Passage vectors, which the cluster
 * does not rank by, choose among them.
 */
export const FETCHED_FOR_ONE = 2;
/** Passages fetched per later request. */
export const FETCHED_AT_ONCE = 64;
/** Maximum number of hits that a cluster returns. */
export const MAX_HITS = 10_000;

/** @throws as `Connection.search` */
export async function searchHits(
  { connected, signal }: { connected: ConnectedIndex; signal: AbortSignal | undefined },
  body: object,
): Promise<Hit[]> {
  const whole = { ...body, track_total_hits: false };
  return (await connected.connection.search(`/${connected.index}/_search`, whole, { signal })).hits.hits;
}
