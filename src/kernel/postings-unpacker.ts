/**
 * Decodes ascending numbers and postings lists from varints (docs/index-format.md §6.3, §8). The
 * TypeScript twins in src/index report what is wrong with the bytes; these only detect it.
 */

import { wasmInstance } from "./wasm-instance.js";

/**
 * @param bytes  deltas minus one, the first relative to −1
 * @param out  [count]; its contents are undefined after a refusal
 * @returns false unless the bytes are exactly `count` numbers below `limit`; undefined where WASM
 *   SIMD is missing
 */
export function readAscendingInWasm(
  bytes: Uint8Array,
  { count, limit }: { count: number; limit: number },
  out: Uint32Array,
): boolean | undefined {
  const wasm = wasmInstance();
  if (wasm === undefined) return undefined;
  const { heap, scratch, exports } = wasm;
  const [bytesAt, outAt] = scratch.reserve(bytes.length, count * 4) as [number, number];
  const { uint8, uint32 } = heap.views;
  uint8.set(bytes, bytesAt);
  if (exports.readAscending(bytesAt, bytes.length, count, limit, outAt) === 0) return false;
  out.set(uint32.subarray(outAt >>> 2, (outAt >>> 2) + count));
  return true;
}

/**
 * @param bytes  body of a list: the run headers, then the runs
 * @param into  arrays of at least `count` entries
 * @returns false unless the bytes are exactly `count` postings of units below `limit`; undefined
 *   where WASM SIMD is missing
 */
export function readPostingsInWasm(
  bytes: Uint8Array,
  { count, ones, limit }: { count: number; ones: boolean; limit: number },
  into: { units: Uint32Array; values: Uint8Array },
): boolean | undefined {
  const wasm = wasmInstance();
  if (wasm === undefined) return undefined;
  const { heap, scratch, exports } = wasm;
  const [bytesAt, unitsAt, valuesAt] = scratch.reserve(bytes.length, count * 4, count) as [number, number, number];
  const { uint8, uint32 } = heap.views;
  uint8.set(bytes, bytesAt);
  const isValid = exports.readPostings(bytesAt, bytes.length, count, ones ? 1 : 0, limit, unitsAt, valuesAt);
  if (isValid === 0) return false;
  into.units.set(uint32.subarray(unitsAt >>> 2, (unitsAt >>> 2) + count));
  if (ones) into.values.fill(1, 0, count);
  else into.values.set(uint8.subarray(valuesAt, valuesAt + count));
  return true;
}
