/**
 * Counts the live passages and documents that contain an n-gram over the whole cluster, so that
 * scores do not depend on the statistics of single shards. Counts are cached until the index has a
 * new version.
 */

import type { TfidfKind } from "../../src/index/types.js";
import { Lru } from "../../src/search/lru.js";
import type { Connection, SearchReply } from "./connection/connection.js";
import type { Kind } from "./mapping.js";
import { anyOf } from "./search-page.js";

/** Number of cached n-grams. */
const CACHED = 500_000;

export type Counts = Record<TfidfKind, number>;

export class Frequencies {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #fields: readonly string[];
  readonly #known = new Lru<number, Counts>(CACHED);

  /** @param kinds  kinds of entries that exist in the index */
  constructor(connection: Connection, index: string, kinds: { alone: boolean; several: boolean }) {
    this.#connection = connection;
    this.#index = index;
    // of only passages, and of other passages and their documents
    this.#fields = [...(kinds.alone ? ["a"] : []), ...(kinds.several ? ["g", "w"] : [])];
  }

  /** Live passages and documents that contain the n-gram of each bucket. */
  async of(buckets: readonly number[], signal?: AbortSignal): Promise<Map<number, Counts>> {
    const found = new Map<number, Counts>();
    const missing: number[] = [];
    for (const bucket of buckets) {
      const known = this.#known.get(bucket);
      if (known === undefined) missing.push(bucket);
      else found.set(bucket, known);
    }
    const bodies = missing.map((bucket) => countOf(this.#fields.map((field) => `${field}.${bucket}`)));
    const replies = await this.#connection.searches(`/${this.#index}`, bodies, { signal });
    for (const [n, bucket] of missing.entries()) {
      const counts = countsIn(replies[n]!);
      this.#known.set(bucket, counts);
      found.set(bucket, counts);
    }
    return found;
  }
}

/** Counts the entries that have any of the features, by kind. */
const countOf = (features: readonly string[]): object => ({
  size: 0,
  track_total_hits: false,
  query: { bool: { filter: [anyOf(features.map((field) => ({ rank_feature: { field } })))] } },
  aggs: { kinds: { terms: { field: "kind" } } },
});

/** The only passage of a document counts as a passage and as a document. */
function countsIn({ aggregations }: SearchReply): Counts {
  const buckets = aggregations!.kinds!.buckets!;
  const of = (kind: Kind): number => buckets.find(({ key }) => key === kind)?.doc_count ?? 0;
  return { passage: of("alone") + of("passage"), document: of("alone") + of("document") };
}
