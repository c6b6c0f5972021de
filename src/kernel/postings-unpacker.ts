/**
 * Decodes postings lists from varints (docs/index-format.md §8). The TypeScript twin in src/index
 * reports what is wrong with the bytes; this only detects it.
 */

import { wasmInstance } from "./wasm-instance.js";

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
