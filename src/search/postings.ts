/** Postings of a key in all segments at once, and the ones that questions ask for again and again. */

import type { IndexSnapshot, Postings, SegmentReader } from "../index/types.js";
import { Lru } from "./lru.js";
import type { Numbering } from "./numbering.js";

/** Entries of cached postings, 5 bytes each. */
const CACHED_POSTINGS = 4_000_000;
/** What an entry of the cache costs beside its postings, in postings. */
const ENTRY_COST = 32;
/** Keys are below 2²⁴ (n-gram buckets) or 2¹⁶ (terms). */
const KEY_RANGE = 2 ** 24;

const KINDS = ["term", "document", "passage"] as const;
/** Term weights of units, or n-gram counts of documents or of passages. */
export type PostingsKind = (typeof KINDS)[number];

/** Units are numbered through all segments. */
export interface AllPostings extends Postings {
  /** Units that are not deleted. Of terms: all. */
  live: number;
}

export class PostingsCache {
  readonly #segments: readonly SegmentReader[];
  readonly #snapshot: IndexSnapshot;
  readonly #firsts: Record<PostingsKind, Uint32Array>;
  readonly #cache = new Lru<number, AllPostings>(CACHED_POSTINGS, (list) => list.units.length + ENTRY_COST);

  constructor(snapshot: IndexSnapshot, numbering: Numbering) {
    this.#snapshot = snapshot;
    this.#segments = snapshot.segments;
    const { firstUnits, firstDocuments, firstPassages } = numbering;
    this.#firsts = { term: firstUnits, document: firstDocuments, passage: firstPassages };
  }

  /** What is in memory: no waiting where a question's words were asked for before. */
  known(kind: PostingsKind, key: number): AllPostings | undefined {
    return this.#cache.get(cacheKey(kind, key));
  }

  /** Reads the key's list in every segment. */
  async load(kind: PostingsKind, key: number, signal?: AbortSignal): Promise<AllPostings> {
    const lists = await Promise.all(
      this.#segments.map((segment) =>
        kind === "term" ? segment.termPostings(key, signal) : segment.tfidfPostings(kind, key, signal),
      ),
    );
    const joined = this.#join(kind, lists);
    if (kind !== "term") joined.live = this.#snapshot.frequencies?.(kind, key) ?? joined.live;
    this.#cache.set(cacheKey(kind, key), joined);
    return joined;
  }

  clear(): void {
    this.#cache.clear();
  }

  #join(kind: PostingsKind, lists: ReadonlyArray<Postings | undefined>): AllPostings {
    let count = 0;
    for (const list of lists) count += list?.units.length ?? 0;
    const units = new Uint32Array(count);
    const values = new Uint8Array(count);
    let live = 0;
    let at = 0;
    for (const [s, list] of lists.entries()) {
      if (list === undefined) continue;
      const first = this.#firsts[kind][s]!;
      for (let k = 0; k < list.units.length; k++) units[at + k] = list.units[k]! + first;
      values.set(list.values, at);
      at += list.units.length;
      live += kind === "term" ? list.units.length : liveUnits(this.#segments[s]!, list, kind);
    }
    return { units, values, live };
  }
}

function cacheKey(kind: PostingsKind, key: number): number {
  return KINDS.indexOf(kind) * KEY_RANGE + key;
}

function liveUnits(segment: SegmentReader, { units }: Postings, kind: "document" | "passage"): number {
  if (segment.deletedDocumentCount === 0) return units.length;
  let live = 0;
  for (const unit of units) {
    if (!segment.isDeleted(kind === "document" ? unit : segment.passageDocuments[unit]!)) live++;
  }
  return live;
}
