/**
 * Counts the live passages and documents that contain an n-gram over the whole cluster, so that
 * scores do not depend on the statistics of single shards. Counts are cached until the index has a
 * new version.
 */

import type { TfidfKind } from "../../src/index/types.js";
import { Lru } from "../../src/search/lru.js";
import type { Connection } from "./connection.js";

/** Number of cached n-grams. */
const CACHED = 500_000;

/**
 * Fields with the n-grams of only passages, of other passages, and of documents with several
 * passages.
 */
const FIELDS = { alone: "a", passage: "g", document: "w" } as const;

export type Counts = Record<TfidfKind, number>;

export class Frequencies {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #fields: Array<keyof typeof FIELDS>;
  readonly #known = new Lru<number, Counts>(CACHED);

  /** @param kinds  kinds of entries that exist in the index */
  constructor(connection: Connection, index: string, kinds: { alone: boolean; several: boolean }) {
    this.#connection = connection;
    this.#index = index;
    this.#fields = [
      ...(kinds.alone ? (["alone"] as const) : []),
      ...(kinds.several ? (["passage", "document"] as const) : []),
    ];
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
    const bodies = missing.flatMap((bucket) => this.#fields.map((field) => countOf(`${FIELDS[field]}.${bucket}`)));
    const replies = await this.#connection.searches(`/${this.#index}`, bodies, { signal });
    for (const [n, bucket] of missing.entries()) {
      const counts: Counts = { passage: 0, document: 0 };
      for (const [f, field] of this.#fields.entries()) {
        const count = replies[n * this.#fields.length + f]!.hits.total!.value;
        if (field !== "document") counts.passage += count;
        if (field !== "passage") counts.document += count;
      }
      this.#known.set(bucket, counts);
      found.set(bucket, counts);
    }
    return found;
  }
}

const countOf = (field: string): object => ({
  size: 0,
  track_total_hits: true,
  query: { constant_score: { filter: { rank_feature: { field } } } },
});
