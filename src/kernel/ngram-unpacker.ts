/**
 * Decodes a list of n-gram weights (docs/index-format.md §7). The TypeScript twin in
 * src/index/segment/ngram-lists.ts reports what is wrong with the bytes; this only detects it.
 */

import { wasmInstance } from "./wasm-instance.js";

/** Every read is of eight bytes, and the last may begin at the end. */
const PADDING = 16;

/**
 * @param bytes  start with the bits of a list
 * @param options.width  bits of a weight number, 1 … 8
 * @param options.tokens  ≤ 256, like `rows`
 * @returns the entries of each row, and the bytes they use; undefined for a list that is not valid,
 *   and where WASM SIMD is missing
 */
export function unpackNgramsInWasm(
  bytes: Uint8Array,
  { tokens, rows, width, step }: { tokens: number; rows: number; width: number; step: number },
): { offsets: Uint32Array; positions: Uint8Array; weights: Uint8Array; used: number } | undefined {
  const wasm = wasmInstance();
  if (wasm === undefined) return undefined;
  const { heap, scratch, exports } = wasm;
  const most = rows * tokens;
  const parts = scratch.reserve(bytes.length + PADDING, most, most, tokens * 4, rows * 4, rows * 4 + 4, most, most);
  const [source, rowOf, weightOf, ends, next, offsets, positions, weights] = parts as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const { uint8, uint32 } = heap.views;
  uint8.set(bytes, source);
  uint8.fill(0, source + bytes.length, source + bytes.length + PADDING);
  const used = exports.unpackNgrams(
    source,
    bytes.length * 8,
    tokens,
    rows,
    width,
    step,
    rowOf,
    weightOf,
    ends,
    next,
    offsets,
    positions,
    weights,
  );
  if (used < 0) return undefined;
  const first = offsets >>> 2;
  const total = uint32[first + rows]!;
  return {
    offsets: uint32.slice(first, first + rows + 1),
    positions: uint8.slice(positions, positions + total),
    weights: uint8.slice(weights, weights + total),
    used: (used + 7) >>> 3,
  };
}
