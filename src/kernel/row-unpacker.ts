/**
 * Decodes packed rows to int8 (docs/index-format.md §2.5). src/index/format/packing.ts packs them, and
 * has the twin in TypeScript, which reports what is wrong with the bytes; this only detects it.
 */

import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import type { Block } from "./wasm-memory.js";

/** Every read is of at most eight bytes, and the last may begin at the end, or seven fields after it. */
const PADDING = 16;
/** The largest number: a multiple of −128 … 127, with the sign in the lowest bit. */
export const MAX_NUMBER = 255;
/** Most bits of a number, and of what is stored once per dimension. */
const MAX_BITS = MAX_NUMBER + 8;
const HEAD_BITS = 3;
/** Low bits of a number: 0 … 7. */
const WIDTHS = 8;
/** Values are stored eight at a time. */
const AT_ONCE = 8;
/** Places are written for all ones of a word of 64 bits. */
const MAX_ONES = 64;
/** Positions are bytes. */
const MAX_ROWS = 256;

/** For each number of low bits w: where eight fields of w bits are, and how far each is shifted. */
let spreads: Block | undefined;

/**
 * Field k begins at bit w · k of eight bytes: in byte (w · k) >> 3, and its w ≤ 7 bits end in the
 * next one at the latest. Multiplying the two bytes by 2^(8 − shift) moves it to the upper byte.
 */
function spreadsOf({ heap }: WasmInstance): Block {
  if (spreads !== undefined) return spreads;
  spreads = heap.allocate(WIDTHS * 4 * AT_ONCE);
  const { uint8, uint16 } = heap.views;
  for (let width = 0; width < WIDTHS; width++) {
    const places = spreads.address + width * 4 * AT_ONCE;
    for (let k = 0; k < AT_ONCE; k++) {
      const bit = width * k;
      uint8[places + 2 * k] = bit >> 3;
      uint8[places + 2 * k + 1] = (bit >> 3) + 1;
      uint16[(places >> 1) + AT_ONCE + k] = 1 << (8 - (bit & 7));
    }
  }
  return spreads;
}

/**
 * @param bytes  start with the packed rows
 * @param count  ≥ 1
 * @param options.wanted  dimensions to return, ≤ dim
 * @param options.steps  a step for each 16 dimensions, 255 for those that are not stored
 * @returns rows [count × wanted] and the bytes that they use; undefined for rows that are not valid
 *   or more than 256, and where WASM SIMD is missing
 */
export function unpackRowsInWasm(
  bytes: Uint8Array,
  count: number,
  { dim, steps, wanted }: { dim: number; steps: Uint8Array; wanted: number },
): { rows: Int8Array; used: number } | undefined {
  const wasm = wasmInstance();
  if (wasm === undefined || count > MAX_ROWS) return undefined;
  const { heap, scratch, exports } = wasm;
  const table = spreadsOf(wasm).address;
  const mostBytes = (dim * (HEAD_BITS + count * MAX_BITS) + 7) >>> 3;
  const input = bytes.length > mostBytes ? bytes.subarray(0, mostBytes) : bytes;
  const parts = scratch.reserve(
    input.length + PADDING,
    steps.length,
    4 * (count * dim + MAX_ONES + 1),
    (count + AT_ONCE) * wanted,
  );
  const [source, stepsAt, places, out] = parts as [number, number, number, number];
  const { uint8, int8 } = heap.views;
  uint8.set(input, source);
  uint8.fill(0, source + input.length, source + input.length + PADDING);
  uint8.set(steps, stepsAt);
  const used = exports.unpackRows(source, input.length * 8, count, dim, stepsAt, table, wanted, places, out);
  if (used < 0) return undefined;
  return { rows: int8.slice(out, out + count * wanted), used: (used + 7) >>> 3 };
}
