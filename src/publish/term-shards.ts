/**
 * Term shards: postings in small files, so that a question needs one file per word and no host
 * needs to support Range. Each list also has the other values of the sum: the term's id (sums are
 * added in that order) and its gain.
 */

import { throwIfAborted } from "../errors.js";
import { ByteReader, ByteWriter } from "../index/format/bytes.js";
import { fromF32 } from "../index/format/columns.js";
import type { Postings } from "../index/format/postings-codec.js";
import { decodeList, encodeList, type ListScratch } from "../index/format/postings-codec.js";
import type { IndexSnapshot } from "../index/types.js";
import { type PutBlob, packBytes, type ShardTable } from "./blob.js";
import { DELETED, type LivePassages } from "./live.js";

/**
 * A shard is complete when it has this many bytes, before deflate, which leaves about two thirds.
 */
const SHARD_BYTES = 10 * 1024;

export interface TermList {
  /** Id in the model's vocabulary. */
  id: number;
  /** The term's learned weight in a question. */
  gain: number;
  postings: Postings;
}

interface TermShardsOptions {
  /** Ids by rank. */
  order: readonly number[];
  /** By id. A term of gain 0 adds nothing to any score and is omitted. */
  gains: Float32Array;
  live: LivePassages;
  put: PutBlob;
  /** Default 10 KiB. */
  shardBytes?: number;
  signal?: AbortSignal;
}

/** Writes the lists of all terms by ascending rank. @returns first rank and name of each shard */
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

/** The postings of a term in all segments, with passages numbered as in `live`. */
async function livePostings(
  snapshot: IndexSnapshot,
  term: number,
  { live, signal }: { live: LivePassages; signal: AbortSignal | undefined },
): Promise<Postings> {
  const lists = await Promise.all(snapshot.segments.map((segment) => segment.termPostings([term], signal)));
  const units: number[] = [];
  const values: number[] = [];
  for (const [s, [list]] of lists.entries()) {
    const numbers = live.numbers[s]!;
    for (let k = 0; k < (list?.units.length ?? 0); k++) {
      const number = numbers[list!.units[k]!]!;
      if (number === DELETED) continue;
      units.push(number);
      values.push(list!.values[k]!);
    }
  }
  return { units: Uint32Array.from(units), values: Uint8Array.from(values) };
}

/**
 * Finds the list of a term in an unpacked shard.
 * @param options.firstRank  first rank of the shard
 * @returns undefined if no passage has the term
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
