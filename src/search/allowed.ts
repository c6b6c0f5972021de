/** The passages that a filter allows, computed once, so that every strategy ranks allowed passages only. */

import { throwIfAborted } from "../errors.js";
import type { IndexSnapshot, SegmentReader } from "../index/types.js";
import { type Loading, loadShared } from "../load-shared.js";
import { Lru } from "./lru.js";
import type { Numbering } from "./numbering.js";
import type { DocumentFilter } from "./types.js";

/** Filters whose passages are cached, one byte per passage each. */
const CACHED_FILTERS = 16;

/** Passages that may be ranked, numbered across all segments; never one of a deleted document. */
export class AllowedPassages {
  /** 1 for each allowed passage; undefined where every one is. */
  readonly bits: Uint8Array | undefined;
  /** Whether some of them may turn out not to be allowed when they are read (`confirm`). */
  readonly isRestricted: boolean = false;

  constructor(bits: Uint8Array | undefined) {
    this.bits = bits;
  }

  /** Passages that were read, if there are others that could not be; undefined if nothing is left open. */
  get searchedPassages(): number | undefined {
    return undefined;
  }

  has(passage: number): boolean {
    return this.bits === undefined || this.bits[passage] === 1;
  }

  /**
   * The passages of a list that are allowed, in its order. The others are not allowed from now on.
   * @throws VerbatimError `aborted`, `corrupt-segment`
   */
  async confirm(numbers: readonly number[], _signal?: AbortSignal): Promise<number[]> {
    return [...numbers];
  }
}

/** The cache key of a filter: its own key if it has one, else the function itself. */
type FilterKey = string | DocumentFilter;

/** The allowed passages of one snapshot, by filter. */
export class AllowedCache {
  readonly #snapshot: IndexSnapshot;
  readonly #numbering: Numbering;
  readonly #live: AllowedPassages;
  readonly #filters = new Lru<FilterKey, Loading<AllowedPassages>>(CACHED_FILTERS);

  constructor(snapshot: IndexSnapshot, numbering: Numbering) {
    this.#snapshot = snapshot;
    this.#numbering = numbering;
    this.#live = this.#passagesOf(snapshot.segments.map(liveDocuments));
  }

  /** All passages that are not deleted. */
  get live(): AllowedPassages {
    return this.#live;
  }

  /**
   * The live passages of the documents that pass the filter. The filter is called once per live document, in order,
   * and not again for the same filter (or key) while it is among the last 16: O(documents) of reading the first time.
   * @throws VerbatimError `aborted`, `corrupt-segment`, and what the filter throws
   */
  async of(filter: DocumentFilter, options: { key?: string; signal?: AbortSignal }): Promise<AllowedPassages> {
    const { signal } = options;
    const begin = (): Promise<AllowedPassages> => this.#evaluate(filter, signal);
    return loadShared(this.#filters, options.key ?? filter, { begin, signal });
  }

  clear(): void {
    this.#filters.clear();
  }

  async #evaluate(filter: DocumentFilter, signal: AbortSignal | undefined): Promise<AllowedPassages> {
    const taken: Uint8Array[] = [];
    for (const segment of this.#snapshot.segments) {
      const documents = new Uint8Array(segment.documentCount);
      let number = 0;
      for await (const { id, title, source, metadata } of segment.describeDocuments(signal)) {
        throwIfAborted(signal);
        documents[number] = !segment.isDeleted(number) && filter({ id, title, source, metadata }) ? 1 : 0;
        number++;
      }
      taken.push(documents);
    }
    return this.#passagesOf(taken);
  }

  /** @param documents  1 for each document that passes, per segment; undefined for all */
  #passagesOf(documents: ReadonlyArray<Uint8Array | undefined>): AllowedPassages {
    const { segments } = this.#snapshot;
    if (documents.every((taken) => taken === undefined)) return new AllowedPassages(undefined);
    const { firstPassages } = this.#numbering;
    const bits = new Uint8Array(firstPassages.at(-1)!).fill(1);
    for (const [s, { passageDocuments }] of segments.entries()) {
      const taken = documents[s];
      if (taken === undefined) continue;
      const first = firstPassages[s]!;
      for (let p = 0; p < passageDocuments.length; p++) bits[first + p] = taken[passageDocuments[p]!]!;
    }
    return new AllowedPassages(bits);
  }
}

/** undefined where no document is deleted. */
function liveDocuments(segment: SegmentReader): Uint8Array | undefined {
  if (segment.deletedDocumentCount === 0) return undefined;
  return Uint8Array.from({ length: segment.documentCount }, (_, document) => (segment.isDeleted(document) ? 0 : 1));
}
