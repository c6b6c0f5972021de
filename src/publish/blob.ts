/** Files that are named by their bytes: what a published site is made of (docs/browser.md). */

import { deflateSync } from "fflate";
import { VerbatimError } from "../errors.js";
import { ByteReader, ByteWriter } from "../index/format/bytes.js";
import { toHex } from "../index/format/hex.js";
import { inflate, MOST_INFLATION } from "../index/format/inflate.js";
import { Sha256 } from "../index/format/sha256.js";

/** Keeps bytes under their name. @returns the name */
export type PutBlob = (bytes: Uint8Array) => Promise<string>;

/** The bytes of a name, already compared with it. @throws VerbatimError where they cannot be had */
export type FetchBlob = (name: string, signal?: AbortSignal) => Promise<Uint8Array>;

/** Hash bytes in a name: 64 bits, against accidents. */
export const NAME_BYTES = 8;

/** The first 64 bits of SHA-256, in hex. */
export function blobName(bytes: Uint8Array): string {
  return toHex(new Sha256().update(bytes).digest().subarray(0, NAME_BYTES));
}

/** Raw DEFLATE behind the inflated length, so that a host that does not compress costs nothing. */
export function packBytes(bytes: Uint8Array): Uint8Array {
  const out = new ByteWriter(bytes.length + 16);
  out.varint(bytes.length);
  out.raw(deflateSync(bytes, { level: 9 }));
  return out.bytes().slice();
}

/** @throws VerbatimError `corrupt-segment` */
export function unpackBytes(bytes: Uint8Array, where: string): Uint8Array {
  const reader = new ByteReader(bytes, where);
  const length = reader.varint();
  if (length > (reader.left + 1) * MOST_INFLATION) throw reader.damaged("an impossible length");
  return inflate(reader.rest(), length, { where });
}

/** `value` as JSON in UTF-8, packed. */
export const packJson = (value: unknown): Uint8Array => packBytes(new TextEncoder().encode(JSON.stringify(value)));

/** The bytes were compared with their name, so what does not parse was written by another version. @throws VerbatimError */
export function unpackJson<T>(bytes: Uint8Array, where: string): T {
  const text = new TextDecoder().decode(unpackBytes(bytes, where));
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new VerbatimError("unsupported-format", `${where} is not what this version of Verbatim writes.`, {
      cause,
      where,
      hint: "Publish the index again with this version.",
    });
  }
}

/** Shards in order: the number that each begins with (a term's rank, a passage's number), and its name. */
export interface ShardTable {
  firsts: number[];
  names: string[];
}

/** Which shard holds a number: the last that begins at or before it; −1 before the first. O(log shards) */
export function shardOf({ firsts }: ShardTable, number: number): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (firsts[middle]! <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
