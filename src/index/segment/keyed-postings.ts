/** Postings by key: the shared part of terms.ts and tfidf.ts (docs/index-format.md §8). */

import { LoadOnce } from "../../load-once.js";
import { countAtMost } from "../../vectors/ascending.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import { u64At, viewU32 } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import type { Postings } from "../format/postings-codec.js";
import {
  decodeList,
  decodeListInto,
  encodeList,
  type ListScratch,
  type ListView,
  seekList,
} from "../format/postings-codec.js";
import type { Section } from "../format/section.js";
import type { PostingsBuilder } from "./postings-builder.js";

const POSTINGS_BLOCK = 4096;
const FENCE_BLOCK = 65_536;
/** A group is closed after the list that brings it to this many bytes or lists. */
const GROUP_BYTES = 4096;
const GROUP_LISTS = 512;
const FENCE_BYTES = 12;
/** Bytes of groups that are read at once when all are wanted. */
const READ_AT_ONCE = 64 * 1024;
const END_KEY = 0xffffffff;

/** Writes sections `<prefix>postings` and `<prefix>fence`. */
export async function writePostings(
  container: ContainerWriter,
  prefix: string,
  postings: PostingsBuilder,
): Promise<void> {
  const writer = new KeyedPostingsWriter(container, prefix);
  for (const { key, postings: list } of postings.lists()) if (writer.add(key, list)) await writer.closeGroup();
  await writer.finish();
}

/** Writes lists that arrive by ascending key, one at a time. */
export class KeyedPostingsWriter {
  #container: ContainerWriter;
  #prefix: string;
  #group = new ByteWriter(2 * GROUP_BYTES);
  #scratch: ListScratch = { body: new ByteWriter(), runs: new ByteWriter() };
  #fence = new ByteWriter(1024);
  #lists = 0;
  #keyBefore = 0;
  #offset = 0;

  constructor(container: ContainerWriter, prefix: string) {
    this.#container = container;
    this.#prefix = prefix;
    container.beginSection(`${prefix}postings`, POSTINGS_BLOCK);
  }

  /** @returns true if the group is full: `closeGroup` must be awaited before the next list */
  add(key: number, postings: Postings): boolean {
    if (this.#lists === 0) {
      this.#fence.u32(key);
      this.#fence.u64(this.#offset);
      this.#keyBefore = key;
    }
    encodeList(this.#group, key - this.#keyBefore, { postings, scratch: this.#scratch });
    this.#keyBefore = key;
    return ++this.#lists === GROUP_LISTS || this.#group.length >= GROUP_BYTES;
  }

  async closeGroup(): Promise<void> {
    await this.#container.append(this.#group.bytes());
    this.#offset += this.#group.length;
    this.#group.clear();
    this.#lists = 0;
  }

  async finish(): Promise<void> {
    if (this.#lists > 0) await this.closeGroup();
    this.#fence.u32(END_KEY);
    this.#fence.u64(this.#offset);
    await this.#container.section(`${this.#prefix}fence`, FENCE_BLOCK, this.#fence.bytes());
  }
}

export interface KeyedList {
  key: number;
  postings: Postings;
}

/** A source of lists by key. */
export interface PostingsLists {
  /** In the order of the keys; undefined for one that no unit has. @throws VerbatimError `corrupt-segment` */
  find(keys: readonly number[], signal?: AbortSignal): Promise<Array<Postings | undefined>>;
  /** All lists by ascending key, in batches of a few hundred. */
  all(signal?: AbortSignal): AsyncGenerator<KeyedList[]>;
}

interface Group {
  reader: ByteReader;
  firstKey: number;
  /** First key of the next group. */
  endKey: number;
}

/**
 * Visits the lists of a group. @param decode  reads the list of the key. @throws VerbatimError
 * `corrupt-segment` for keys out of order
 */
function eachList({ reader, firstKey, endKey }: Group, decode: (key: number, reader: ByteReader) => void): void {
  let key = firstKey;
  for (let first = true; reader.left > 0; first = false) {
    const gap = reader.varint();
    key += gap;
    if (first ? gap !== 0 : gap === 0 || key >= endKey) throw reader.damaged(`key ${key} after ${key - gap}`);
    decode(key, reader);
  }
}

/**
 * First key and offset of each group, and an end entry. Entries are checked when they are accessed.
 */
class Fence {
  readonly groups: number;
  readonly #where: string;
  /** Three words per entry: key, low and high half of the offset. */
  readonly #words: Uint32Array;

  /** @throws VerbatimError `corrupt-segment` if it does not cover this many bytes of postings */
  constructor(bytes: Uint8Array, { where, length }: { where: string; length: number }) {
    this.#where = where;
    if (bytes.length === 0 || bytes.length % FENCE_BYTES !== 0)
      throw corrupt(where, `${bytes.length} bytes are not a valid fence`);
    this.#words = viewU32(bytes);
    this.groups = bytes.length / FENCE_BYTES - 1;
    if (this.key(this.groups) !== END_KEY || this.offset(0) !== 0 || this.offset(this.groups) !== length)
      throw corrupt(where, "it does not cover the postings");
  }

  /** First key of a group. */
  key(group: number): number {
    return this.#words[3 * group]!;
  }

  offset(group: number): number {
    return u64At(this.#words, 3 * group + 1);
  }

  /** @throws VerbatimError `corrupt-segment` if a group does not end after it begins */
  group(n: number): { firstKey: number; endKey: number; from: number; to: number } {
    const [firstKey, endKey, from, to] = [this.key(n), this.key(n + 1), this.offset(n), this.offset(n + 1)];
    if (endKey <= firstKey || to <= from) throw corrupt(this.#where, `entry ${n + 1} is out of order`);
    return { firstKey, endKey, from, to };
  }

  /** The last group whose first key is at most `key`; undefined if there is none. O(log groups) */
  find(key: number): number | undefined {
    const begun = countAtMost({ length: this.groups, at: (n) => this.key(n) }, key);
    return begun === 0 ? undefined : begun - 1;
  }
}

export class KeyedPostings implements PostingsLists {
  #postings: Section;
  #fenceSection: Section;
  #unitCount: number;
  /** Read once and shared by all callers, so no caller's signal is used. */
  readonly #fence = new LoadOnce(() => this.#readFence());
  /** The fence, once it is read. */
  #known: Fence | undefined;

  constructor(container: Container, prefix: string, unitCount: number) {
    this.#postings = container.section(`${prefix}postings`);
    this.#fenceSection = container.section(`${prefix}fence`);
    this.#unitCount = unitCount;
  }

  /**
   * Every group is read once, and neighbouring groups together: a question with a mistyped word looks
   * up hundreds of keys. @throws VerbatimError `corrupt-segment`
   */
  async find(keys: readonly number[], signal?: AbortSignal): Promise<Array<Postings | undefined>> {
    const fence = this.#known ?? (await this.#fence.get());
    const found: Array<Postings | undefined> = new Array(keys.length).fill(undefined);
    const wanted = new Map<number, number[]>();
    for (const [n, key] of keys.entries()) {
      const group = fence.find(key);
      if (group === undefined) continue;
      const same = wanted.get(group);
      if (same === undefined) wanted.set(group, [n]);
      else same.push(n);
    }
    const groups = [...wanted.keys()].map((group) => fence.group(group));
    const ranges = groups.map(({ from, to }) => ({ offset: from, length: to - from }));
    const members = [...wanted.values()];
    const look = (g: number, group: Uint8Array): void => {
      for (const n of members[g]!) found[n] = this.#listIn(group, groups[g]!.firstKey, keys[n]!);
    };
    await this.#postings.visitMany(ranges, look, signal);
    return found;
  }

  #listIn(group: Uint8Array, firstKey: number, key: number): Postings | undefined {
    const at = seekList(group, firstKey, key);
    return at < 0 ? undefined : decodeList(new ByteReader(group.subarray(at), this.#postings.where), this.#unitCount);
  }

  /**
   * All lists by ascending key, one group (at most 512 lists) at a time, for merging, which yields
   * the thread in between.
   * @throws VerbatimError `corrupt-segment`, also for keys out of order
   */
  async *all(signal?: AbortSignal): AsyncGenerator<KeyedList[]> {
    for await (const groups of this.#groups(signal)) {
      for (const group of groups) {
        const lists: KeyedList[] = [];
        eachList(group, (key, reader) => lists.push({ key, postings: decodeList(reader, this.#unitCount) }));
        yield lists;
      }
    }
  }

  /**
   * Visits all lists by ascending key without allocating: there are millions of lists with one
   * posting.
   * @param onList  the list is valid until it returns
   * @throws VerbatimError `corrupt-segment`, also for keys out of order
   */
  async walk(onList: (key: number, list: ListView) => void, signal?: AbortSignal): Promise<void> {
    const list: ListView = { units: new Uint32Array(1024), values: new Uint8Array(1024), count: 0 };
    for await (const groups of this.#groups(signal)) {
      for (const group of groups)
        eachList(group, (key, reader) => onList(key, decodeListInto(list, reader, this.#unitCount)));
    }
  }

  /** Groups in file order, in batches. */
  async *#groups(signal: AbortSignal | undefined): AsyncGenerator<Group[]> {
    const fence = await this.#fence.get();
    for (let number = 0; number < fence.groups; ) {
      const { from } = fence.group(number);
      let end = number + 1;
      while (end < fence.groups && fence.group(end).to - from <= READ_AT_ONCE) end++;
      const bytes = await this.#postings.read(from, fence.offset(end) - from, signal);
      const groups: Group[] = [];
      for (; number < end; number++) {
        const { firstKey, endKey, ...at } = fence.group(number);
        const reader = new ByteReader(bytes.subarray(at.from - from, at.to - from), this.#postings.where);
        groups.push({ reader, firstKey, endKey });
      }
      yield groups;
    }
  }

  async #readFence(): Promise<Fence> {
    const section = this.#fenceSection;
    this.#known = new Fence(await section.readAll(), { where: section.where, length: this.#postings.length });
    return this.#known;
  }
}
