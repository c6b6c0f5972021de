/** Queries and rankings of the cluster, its limits, and how many passages of a ranking to fetch. */

import type { ConnectedIndex } from "./connected-index.js";
import type { Hit } from "./connection/connection.js";

/**
 * Passages fetched with the first ranking, per requested passage. Passage vectors, which the cluster
 * does not rank by, choose among them.
 */
export const FETCHED_FOR_ONE = 2;
/** Passages fetched per later request. */
export const FETCHED_AT_ONCE = 64;
/** Maximum number of hits that a cluster returns. */
export const MAX_HITS = 10_000;

/**
 * Maximum number of clauses of a query. A cluster's default limit, `indices.query.bool.max_clause_count`,
 * is 1,024 for all levels of a query together; the other 24 are for filters that it adds itself.
 */
export const MAX_CLAUSES = 1000;

/** Number of clauses of a query made of `bool` and `constant_score`, as the cluster counts them. */
export function clausesOf(query: object | undefined): number {
  if (query === undefined) return 0;
  const { bool, constant_score: constant } = query as { bool?: object; constant_score?: { filter: object } };
  if (constant !== undefined) return clausesOf(constant.filter);
  if (bool === undefined) return 1;
  const parts: unknown[] = Object.values(bool).filter((part) => typeof part === "object");
  return parts.flat().reduce<number>((sum, part) => sum + clausesOf(part as object), 0);
}

/** A query for what matches at least one of several. */
export const anyOf = (queries: object[]): object => ({ bool: { should: queries, minimum_should_match: 1 } });

/** @throws as `Connection.search` */
export async function searchHits(
  { connected, signal }: { connected: ConnectedIndex; signal: AbortSignal | undefined },
  body: object,
): Promise<Hit[]> {
  const whole = { ...body, track_total_hits: false };
  return (await connected.connection.search(`/${connected.index}/_search`, whole, { signal })).hits.hits;
}
