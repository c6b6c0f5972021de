/** Blobs, the files of a published site: each is named by a hash of its bytes (docs/browser.md). */

import { deflateSync } from "fflate";
import { VerbatimError } from "../errors.js";
import { ByteReader, ByteWriter } from "../index/format/bytes.js";
import { toHex } from "../index/format/hex.js";
import { inflate, MAX_INFLATION } from "../index/format/inflate.js";
import { Sha256 } from "../index/format/sha256.js";
import { countAtMost } from "../vectors/ascending.js";

/** Stores bytes under their name. @returns the name */
export type PutBlob = (bytes: Uint8Array) => Promise<string>;

/**
 * Fetches the bytes of a name and compares them with it.
 * @throws VerbatimError if they cannot be fetched or differ
 */
export type FetchBlob = (name: string, signal?: AbortSignal) => Promise<Uint8Array>;

/** Bytes of the hash in a name: 64 bits detect accidents, not forgery. */
export const NAME_BYTES = 8;

/** The first 64 bits of SHA-256, in hex. */
export function blobName(bytes: Uint8Array): string {
  return toHex(new Sha256().update(bytes).digest().subarray(0, NAME_BYTES));
}

/** The length, then the bytes as raw DEFLATE: hosts that do not compress cost nothing. */
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
  if (length > (reader.left + 1) * MAX_INFLATION) throw reader.damaged("an impossible length");
  return inflate(reader.rest(), length, { where });
}

/** Packs `value` as JSON in UTF-8. */
export const packJson = (value: unknown): Uint8Array => packBytes(new TextEncoder().encode(JSON.stringify(value)));

/**
 * @throws VerbatimError `unsupported-format`: the bytes have the right hash, so other JSON is that
 *   of another version
 */
export function unpackJson<T>(bytes: Uint8Array, where: string): T {
  const text = new TextDecoder().decode(unpackBytes(bytes, where));
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new VerbatimError("unsupported-format", `${where} was written by another version of Verbatim.`, {
      cause,
      where,
      hint: "Publish the index again with this version.",
    });
  }
}

/**
 * The shards in order: the first number of each (rank of a term, or number of a passage), and its
 * name.
 */
export interface ShardTable {
  firsts: number[];
  names: string[];
}

/**
 * @returns the shard that contains a number; −1 for a number before the first shard. O(log shards)
 */
export function shardOf({ firsts }: ShardTable, number: number): number {
  return countAtMost(firsts, number) - 1;
}
