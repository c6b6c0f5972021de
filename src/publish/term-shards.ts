/**
 * "Here is a word of the question: which passages does it speak for?" Term postings in small files, so that a question costs a file a word, and
 * no host needs to know of ranges. Each list has with it what else the sum needs: the term's id (sums are added in that order) and gain.
 */

import { throwIfAborted } from "../errors.js";
import { ByteReader, ByteWriter } from "../index/format/bytes.js";
import { fromF32 } from "../index/format/columns.js";
import type { Postings } from "../index/format/postings-codec.js";
import { decodeList, encodeList, type ListScratch } from "../index/format/postings-codec.js";
import type { IndexSnapshot } from "../index/types.js";
import { type PutBlob, packBytes, type ShardTable } from "./blob.js";
import { GONE, type LivePassages } from "./live.js";

/** A shard is closed after the list that brings it to so many bytes; deflate leaves about two thirds. */
const SHARD_BYTES = 10 * 1024;

export interface TermList {
  /** Of the model's vocabulary. */
  id: number;
  /** The term's learned weight in a question. */
  gain: number;
  postings: Postings;
}

export interface TermShardsOptions {
  /** Ids by rank. */
  order: readonly number[];
  /** By id. A term of gain 0 adds nothing to any score and is left out. */
  gains: Float32Array;
  live: LivePassages;
  put: PutBlob;
  /** Default 10 KiB. */
  shardBytes?: number;
  signal?: AbortSignal;
}

/** Writes the lists of all terms by rank ascending. @returns first rank and name of each shard */
export async function writeTermShards(snapshot: IndexSnapshot, options: TermShardsOptions): Promise<ShardTable> {
  const { order, gains, live, put, shardBytes = SHARD_BYTES, signal } = options;
  const table: ShardTable = { firsts: [], names: [] };
  const scratch: ListScratch = { body: new ByteWriter(), runs: new ByteWriter() };
  const shard = new ByteWriter(2 * SHARD_BYTES);
  const list = new ByteWriter(SHARD_BYTES);
  let rankBefore = 0;
  const close = async (): Promise<void> => {
    table.names.push(await put(packBytes(shard.bytes())));
    shard.clear();
  };
  for (const [rank, id] of order.entries()) {
    throwIfAborted(signal);
    if (gains[id] === 0) continue;
    const postings = await livePostings(snapshot, id, { live, signal });
    if (postings.units.length === 0) continue;
    if (shard.length === 0) {
      table.firsts.push(rank);
      rankBefore = rank;
    }
    list.clear();
    encodeList(list, 0, { postings, scratch });
    shard.varint(rank - rankBefore);
    shard.varint(id);
    shard.raw(fromF32(Float32Array.of(gains[id]!)));
    shard.varint(list.length);
    shard.raw(list.bytes());
    rankBefore = rank;
    if (shard.length >= shardBytes) await close();
  }
  if (shard.length > 0) await close();
  return table;
}

/** A term's postings of all segments, passages numbered as in `live`. */
async function livePostings(
  snapshot: IndexSnapshot,
  term: number,
  { live, signal }: { live: LivePassages; signal: AbortSignal | undefined },
): Promise<Postings> {
  const lists = await Promise.all(snapshot.segments.map((segment) => segment.termPostings(term, signal)));
  const units: number[] = [];
  const values: number[] = [];
  for (const [s, list] of lists.entries()) {
    const numbers = live.numbers[s]!;
    for (let k = 0; k < (list?.units.length ?? 0); k++) {
      const number = numbers[list!.units[k]!]!;
      if (number === GONE) continue;
      units.push(number);
      values.push(list!.values[k]!);
    }
  }
  return { units: Uint32Array.from(units), values: Uint8Array.from(values) };
}

/**
 * The list of a term in an unpacked shard; undefined where no passage has it.
 * @param firstRank  of the shard
 * @throws VerbatimError `corrupt-segment`
 */
export function findTerm(
  shard: Uint8Array,
  rank: number,
  options: { firstRank: number; passages: number; where: string },
): TermList | undefined {
  const { firstRank, passages, where } = options;
  const reader = new ByteReader(shard, where);
  for (let current = firstRank; reader.left > 0; ) {
    current += reader.varint();
    const id = reader.varint();
    const gainBytes = reader.raw(4);
    const body = reader.raw(reader.varint());
    if (current < rank) continue;
    if (current > rank) return undefined;
    const gain = new DataView(gainBytes.buffer, gainBytes.byteOffset, 4).getFloat32(0, true);
    const list = new ByteReader(body, where);
    list.varint(); // the key's gap, 0
    return { id, gain, postings: decodeList(list, passages) };
  }
  return undefined;
}
