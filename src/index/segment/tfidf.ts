/** Component `tfidf`: n-gram bucket → passages with counts, and norms (docs/index-format.md §8). */

import { NGRAM_BUCKETS, ngramCounts } from "../../text/words.js";
import { copyF32, fromF32 } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import type { Section } from "../format/section.js";
import type { TfidfKind, TfidfPostings } from "../types.js";
import { sumByDocument } from "./document-postings.js";
import { KeyedPostings, writePostings } from "./keyed-postings.js";
import { PostingsBuilder } from "./postings-builder.js";

export const NORMS_BLOCK = 65_536;
/** Counts are stored as a byte. */
const MAX_COUNT = 255;
/**
 * A document with more distinct n-grams is counted in a table of all buckets: 16 MB, where a map
 * would grow without bound.
 */
const DEFAULT_MAX_IN_MAP = 1 << 18;

/** sqrt(Σ log(1 + count)²), 1 for a unit without n-grams. @param squares  the sum */
const normOf = (squares: number): number => (squares > 0 ? Math.sqrt(squares) : 1);

/** Counts of the current document, summed over its passages. */
export class DocumentCounts {
  #few = new Map<number, number>();
  #many: Uint8Array | undefined;
  readonly #mostInMap: number;

  constructor(maxInMap = DEFAULT_MAX_IN_MAP) {
    this.#mostInMap = maxInMap;
  }

  /** Each bucket once, with its count. */
  *entries(): Generator<[bucket: number, count: number]> {
    for (const [bucket, count] of this.#many?.entries() ?? this.#few) if (count > 0) yield [bucket, count];
  }

  add(bucket: number, count: number): void {
    if (this.#many !== undefined) {
      this.#many[bucket] = Math.min(MAX_COUNT, this.#many[bucket]! + count);
      return;
    }
    this.#few.set(bucket, Math.min(MAX_COUNT, (this.#few.get(bucket) ?? 0) + count));
    if (this.#few.size <= this.#mostInMap) return;
    this.#many = new Uint8Array(NGRAM_BUCKETS);
    for (const [key, known] of this.#few) this.#many[key] = known;
    this.#few.clear();
  }

  /** Returns the document's norm, and starts the next document. */
  norm(): number {
    let squares = 0;
    for (const count of this.#many ?? this.#few.values()) squares += Math.log1p(count) ** 2;
    this.#few.clear();
    this.#many = undefined;
    return normOf(squares);
  }
}

/** n-gram counts of a passage as they are stored, and its norm. */
export function countPassage(text: string): { counts: Array<[bucket: number, count: number]>; norm: number } {
  const counts: Array<[number, number]> = [];
  let squares = 0;
  for (const [bucket, count] of ngramCounts(text)) {
    const kept = Math.min(count, MAX_COUNT);
    counts.push([bucket, kept]);
    squares += Math.log1p(kept) ** 2;
  }
  return { counts, norm: normOf(squares) };
}

export class TfidfWriter {
  #postings = new PostingsBuilder();
  #passageNorms: number[] = [];
  #documentNorms: number[] = [];
  #document: DocumentCounts;

  /** @param maxInMap  default DEFAULT_MAX_IN_MAP; smaller in tests */
  constructor(maxInMap = DEFAULT_MAX_IN_MAP) {
    this.#document = new DocumentCounts(maxInMap);
  }

  get bytes(): number {
    return this.#postings.bytes + (this.#passageNorms.length + this.#documentNorms.length) * 8;
  }

  /** Adds a passage of the current document. */
  addPassage(text: string): void {
    const { counts, norm } = countPassage(text);
    for (const [bucket, count] of counts) {
      this.#postings.add(bucket, count);
      this.#document.add(bucket, count);
    }
    this.#postings.endUnit();
    this.#passageNorms.push(norm);
  }

  /** Ends the current document after its last passage. */
  endDocument(): void {
    this.#documentNorms.push(this.#document.norm());
  }

  async finish(container: ContainerWriter): Promise<FileEntry> {
    await this.write(container);
    return container.finish();
  }

  /** Writes all sections without closing the file. */
  async write(container: ContainerWriter): Promise<void> {
    await container.section("documents.norms", NORMS_BLOCK, fromF32(Float32Array.from(this.#documentNorms)));
    await writePostings(container, "passages.", this.#postings);
    await container.section("passages.norms", NORMS_BLOCK, fromF32(Float32Array.from(this.#passageNorms)));
  }
}

export class TfidfReader {
  /** Passages by n-gram bucket. */
  readonly lists: KeyedPostings;
  readonly #passageDocuments: Uint32Array;
  #norms: Record<TfidfKind, Section>;
  #loaded: Partial<Record<TfidfKind, Promise<Float32Array>>> = {};

  /**
   * @param passageDocuments  document of each passage
   * @throws VerbatimError `corrupt-segment` if there is not one norm per unit
   */
  constructor(container: Container, counts: { documents: number; passages: number }, passageDocuments: Uint32Array) {
    this.lists = new KeyedPostings(container, "passages.", counts.passages);
    this.#passageDocuments = passageDocuments;
    this.#norms = { document: container.section("documents.norms"), passage: container.section("passages.norms") };
    for (const [section, units] of [
      [this.#norms.document, counts.documents] as const,
      [this.#norms.passage, counts.passages] as const,
    ]) {
      if (section.length !== units * 4) throw corrupt(section.where, `it does not have ${units} units`);
    }
  }

  /**
   * Postings of passages and documents; undefined for an n-gram that no passage has.
   * @throws VerbatimError `corrupt-segment`
   */
  async find(buckets: readonly number[], signal?: AbortSignal): Promise<Array<TfidfPostings | undefined>> {
    const lists = await this.lists.find(buckets, signal);
    return lists.map((passage) => passage && { passage, document: sumByDocument(passage, this.#passageDocuments) });
  }

  /** Read once and cached. */
  norms(kind: TfidfKind): Promise<Float32Array> {
    this.#loaded[kind] ??= this.#norms[kind]
      .readAll()
      .then(copyF32)
      .catch((error) => {
        delete this.#loaded[kind];
        throw error;
      });
    return this.#loaded[kind];
  }
}
