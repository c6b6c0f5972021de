/** Postings of a key in all segments at once, and the ones that questions ask for again and again. */

import type { Postings } from "../../index/format/postings-codec.js";
import type { IndexSnapshot, SegmentReader, TfidfKind } from "../../index/types.js";
import { Lru } from "../lru.js";
import { type Numbering, setRaised } from "../numbering.js";

/** Postings that are kept, 5 bytes each: by passage of the index, and within limits. */
const CACHED_TERMS = { perPassage: 3, min: 100_000, max: 1_500_000 };
const CACHED_TFIDF = { perPassage: 6, min: 200_000, max: 4_000_000 };
/** What an entry of the cache costs in addition to its postings, in postings. */
const ENTRY_COST = 32;
/** The list for a key that no unit has, as for most neighbours of a mistyped word. */
const NONE: AllPostings = { units: new Uint32Array(0), values: new Uint8Array(0), live: 0 };

/** Units are numbered across all segments. */
export interface AllPostings extends Postings {
  /** Units that are not deleted. Of terms: all. */
  live: number;
}

/** Postings of an n-gram in documents and in passages. */
export type AllTfidfPostings = Record<TfidfKind, AllPostings>;

export class PostingsCache {
  readonly #snapshot: IndexSnapshot;
  readonly #numbering: Numbering;
  readonly #terms: Lru<number, AllPostings>;
  readonly #tfidf: Lru<number, AllTfidfPostings>;

  constructor(snapshot: IndexSnapshot, numbering: Numbering) {
    this.#snapshot = snapshot;
    this.#numbering = numbering;
    const limit = ({ perPassage, min, max }: typeof CACHED_TERMS): number =>
      Math.min(max, Math.max(min, perPassage * snapshot.passageCount));
    this.#terms = new Lru(limit(CACHED_TERMS), (list) => list.units.length + ENTRY_COST);
    this.#tfidf = new Lru(
      limit(CACHED_TFIDF),
      ({ document, passage }) => document.units.length + passage.units.length + 2 * ENTRY_COST,
    );
  }

  /**
   * The postings of each term, in the order of `keys`: no waiting where all are in memory, else all others are read
   * at once.
   */
  terms(keys: ArrayLike<number>, signal?: AbortSignal): AllPostings[] | Promise<AllPostings[]> {
    return allOf(keys, this.#terms, (missing) => this.#readTerms(missing, signal));
  }

  /** The same of n-gram buckets. */
  tfidf(keys: ArrayLike<number>, signal?: AbortSignal): AllTfidfPostings[] | Promise<AllTfidfPostings[]> {
    return allOf(keys, this.#tfidf, (missing) => this.#readTfidf(missing, signal));
  }

  clear(): void {
    this.#terms.clear();
    this.#tfidf.clear();
  }

  async #readTerms(terms: readonly number[], signal: AbortSignal | undefined): Promise<AllPostings[]> {
    const { segments } = this.#snapshot;
    const found = await Promise.all(segments.map((segment) => segment.termPostings(terms, signal)));
    return terms.map((_, n) =>
      join(
        found.map((lists) => lists[n]),
        this.#numbering.firstPassages,
      ),
    );
  }

  async #readTfidf(buckets: readonly number[], signal: AbortSignal | undefined): Promise<AllTfidfPostings[]> {
    const { segments } = this.#snapshot;
    const { firstDocuments, firstPassages } = this.#numbering;
    const found = await Promise.all(segments.map((segment) => segment.tfidfPostings(buckets, signal)));
    return buckets.map((bucket, n) => {
      const all = (kind: TfidfKind, firsts: Uint32Array): AllPostings => {
        const own = found.map((lists) => lists[n]?.[kind]);
        const joined = join(own, firsts);
        joined.live = this.#snapshot.frequencies?.(kind, bucket) ?? liveUnits(segments, own, kind);
        return joined;
      };
      return { document: all("document", firstDocuments), passage: all("passage", firstPassages) };
    });
  }
}

function allOf<List>(
  keys: ArrayLike<number>,
  cache: Lru<number, List>,
  read: (missing: readonly number[]) => Promise<List[]>,
): List[] | Promise<List[]> {
  const known = new Map<number, List>();
  const missing = new Set<number>();
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n]!;
    const list = cache.get(key);
    if (list === undefined) missing.add(key);
    else known.set(key, list);
  }
  const inOrder = (): List[] => Array.from(keys, (key) => known.get(key)!);
  if (missing.size === 0) return inOrder();
  const wanted = [...missing];
  return read(wanted).then((lists) => {
    for (const [n, list] of lists.entries()) {
      cache.set(wanted[n]!, list);
      known.set(wanted[n]!, list);
    }
    return inOrder();
  });
}

/** @param firsts  first number of each segment's units */
function join(lists: ReadonlyArray<Postings | undefined>, firsts: Uint32Array): AllPostings {
  let count = 0;
  for (const list of lists) count += list?.units.length ?? 0;
  if (count === 0) return { ...NONE };
  const units = new Uint32Array(count);
  const values = new Uint8Array(count);
  let at = 0;
  for (const [s, list] of lists.entries()) {
    if (list === undefined) continue;
    setRaised(units, at, { numbers: list.units, by: firsts[s]! });
    values.set(list.values, at);
    at += list.units.length;
  }
  return { units, values, live: count };
}

function liveUnits(
  segments: readonly SegmentReader[],
  lists: ReadonlyArray<Postings | undefined>,
  kind: TfidfKind,
): number {
  let live = 0;
  for (const [s, list] of lists.entries()) {
    if (list === undefined) continue;
    const segment = segments[s]!;
    live += list.units.length;
    if (segment.deletedDocumentCount === 0) continue;
    for (const unit of list.units)
      if (segment.isDeleted(kind === "document" ? unit : segment.passageDocuments[unit]!)) live--;
  }
  return live;
}
