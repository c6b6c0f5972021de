/** "Here is an n-gram: which documents and passages have it, and how often?" Component `tfidf` (docs/index-format.md §8). */

import { NGRAM_BUCKETS, ngramCounts } from "../text/words.js";
import { copyF32, fromF32 } from "./columns.js";
import type { Container } from "./container.js";
import type { ContainerWriter, FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import { KeyedPostings, writePostings } from "./keyed-postings.js";
import { PostingsBuilder } from "./postings-builder.js";
import type { Section } from "./section.js";
import type { Postings, TfidfKind } from "./types.js";

export const NORMS_BLOCK = 65_536;
/** A count is kept in a byte. */
const MOST_COUNT = 255;
/** Texts longer than this are counted piece by piece: a map of every n-gram of a 100 MB document would not fit. */
export const COUNT_AT_ONCE = 1 << 20;

/** Writes postings and norms of one kind of unit. */
class KindWriter {
  #postings = new PostingsBuilder();
  #norms: number[] = [];

  get bytes(): number {
    return this.#postings.bytes + this.#norms.length * 8;
  }

  add(text: string): void {
    let squares = 0;
    const add = (bucket: number, count: number) => {
      const kept = Math.min(count, MOST_COUNT);
      this.#postings.add(bucket, kept);
      squares += Math.log1p(kept) ** 2;
    };
    if (text.length <= COUNT_AT_ONCE) for (const [bucket, count] of ngramCounts(text)) add(bucket, count);
    else countLong(text, add);
    this.#postings.endUnit();
    this.#norms.push(squares > 0 ? Math.sqrt(squares) : 1);
  }

  async finish(container: ContainerWriter, prefix: string): Promise<void> {
    await writePostings(container, prefix, this.#postings);
    await container.section(`${prefix}norms`, NORMS_BLOCK, fromF32(Float32Array.from(this.#norms)));
  }
}

/** Counts in a byte for each of the 2²⁴ buckets, so 16 MB for a text of any length. An n-gram across two pieces is not counted. */
function countLong(text: string, add: (bucket: number, count: number) => void): void {
  const counts = new Uint8Array(NGRAM_BUCKETS);
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from);
    for (const [bucket, count] of ngramCounts(text.slice(from, to))) {
      counts[bucket] = Math.min(counts[bucket]! + count, MOST_COUNT);
    }
    from = to;
  }
  for (let bucket = 0; bucket < NGRAM_BUCKETS; bucket++) if (counts[bucket]! > 0) add(bucket, counts[bucket]!);
}

/** Behind the last white space of the piece if it has one in its last 64 Ki units, so that no word is cut. */
function pieceEnd(text: string, from: number): number {
  const most = from + COUNT_AT_ONCE;
  if (most >= text.length) return text.length;
  for (let at = most; at > most - 65_536; at--) if (/\s/.test(text[at - 1]!)) return at;
  return most;
}

export class TfidfWriter {
  #documents = new KindWriter();
  #passages = new KindWriter();

  get bytes(): number {
    return this.#documents.bytes + this.#passages.bytes;
  }

  /** The next document's whole text. */
  addDocument(text: string): void {
    this.#documents.add(text);
  }

  addPassage(text: string): void {
    this.#passages.add(text);
  }

  async finish(container: ContainerWriter): Promise<FileEntry> {
    await this.write(container);
    return container.finish();
  }

  /** All sections, without closing the file. */
  async write(container: ContainerWriter): Promise<void> {
    await this.#documents.finish(container, "documents.");
    await this.#passages.finish(container, "passages.");
  }
}

export class TfidfReader {
  readonly lists: Record<TfidfKind, KeyedPostings>;
  #norms: Record<TfidfKind, Section>;
  #loaded: Partial<Record<TfidfKind, Promise<Float32Array>>> = {};

  /** @throws VerbatimError `corrupt-segment` when the norms are not of so many units */
  constructor(container: Container, counts: { documents: number; passages: number }) {
    this.lists = {
      document: new KeyedPostings(container, "documents.", counts.documents),
      passage: new KeyedPostings(container, "passages.", counts.passages),
    };
    this.#norms = { document: container.section("documents.norms"), passage: container.section("passages.norms") };
    for (const [section, units] of [
      [this.#norms.document, counts.documents] as const,
      [this.#norms.passage, counts.passages] as const,
    ]) {
      if (section.length !== units * 4) throw corrupt(section.where, `it is not of ${units} units`);
    }
  }

  find(kind: TfidfKind, bucket: number, signal?: AbortSignal): Promise<Postings | undefined> {
    return this.lists[kind].find(bucket, signal);
  }

  /** Read once and kept. */
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
