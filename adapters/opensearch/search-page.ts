/** Rankings of passages in the cluster, of which some are fetched at once and others when it shows that they matter. */

import type { Place } from "./connected-index.js";
import type { Hit } from "./connection.js";

/** Passages that are fetched with the first ranking, for each one that is wanted. */
export const FETCHED_FOR_ONE = 2;
/** … and together, later. */
export const FETCHED_AT_ONCE = 64;
/** Hits that a cluster gives at most. */
export const MOST_HITS = 10_000;

/** @throws as `Connection.search` */
export async function searchHits(
  { place, signal }: { place: Place; signal: AbortSignal | undefined },
  body: object,
): Promise<Hit[]> {
  const whole = { ...body, track_total_hits: false };
  return (await place.connection.search(`/${place.index}/_search`, whole, { signal })).hits.hits;
}
