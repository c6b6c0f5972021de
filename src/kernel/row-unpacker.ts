/**
 * Decodes packed rows to int8 (docs/index-format.md §2.5). src/index/format/packing.ts packs them, and
 * has the twin in TypeScript, which reports what is wrong with the bytes; this only detects it.
 */

import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import type { Block } from "./wasm-memory.js";

/** Every read is of at most eight bytes, and the last may begin at the end. */
const PADDING = 16;
/** The largest number: a multiple of −128 … 127, with the sign in the lowest bit. */
export const MAX_NUMBER = 255;
/** Most bits of a number, and of what is stored once per dimension. */
const MOST_BITS = MAX_NUMBER + 8;
const HEAD_BITS = 3;
const MAX_STEP = 64;
/** Positions are bytes. */
const MAX_ROWS = 256;

/** The value of each number, for each step: int8 [65 × 256]. */
let values: Block | undefined;

function valuesOf({ heap }: WasmInstance): Block {
  if (values !== undefined) return values;
  values = heap.allocate((MAX_STEP + 1) << 8);
  const { int8 } = heap.views;
  for (let step = 1; step <= MAX_STEP; step++) {
    for (let number = 0; number <= MAX_NUMBER; number++) {
      const value = (number & 1 ? -(number + 1) / 2 : number / 2) * step;
      int8[values.address + (step << 8) + number] = step === 1 ? value : Math.max(-127, Math.min(127, value));
    }
  }
  return values;
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
  const table = valuesOf(wasm).address;
  const mostBytes = (dim * (HEAD_BITS + count * MOST_BITS) + 7) >>> 3;
  const input = bytes.length > mostBytes ? bytes.subarray(0, mostBytes) : bytes;
  const parts = scratch.reserve(input.length + PADDING, steps.length, 1, count * wanted);
  const [source, stepsAt, unused, out] = parts as [number, number, number, number];
  const { uint8, int8 } = heap.views;
  uint8.set(input, source);
  uint8.fill(0, source + input.length, source + input.length + PADDING);
  uint8.set(steps, stepsAt);
  const used = exports.unpackRows(source, input.length * 8, count, dim, stepsAt, table, wanted, unused, out);
  if (used < 0) return undefined;
  return { rows: int8.slice(out, out + count * wanted), used: (used + 7) >>> 3 };
}
