/**
 * Decodes packed rows to int8, 16 values at a time (docs/index-format.md §2.5).
 * src/index/format/packing.ts packs them and has the twin in TypeScript.
 */

import { type WasmInstance, wasmInstance } from "./wasm-instance.js";
import { aligned, type Block } from "./wasm-memory.js";

/** Values that share a width. 16 values of any width fill whole bytes. */
const GROUP = 16;
const MAX_WIDTH = 8;
/**
 * Table entry of a width: for each half of a group, which bytes hold the values and the factors that
 * shift them into place (4 × 16 bytes).
 */
const SPREAD_BYTES = 64;
/** Padding behind the input: every group is read whole, even a shorter one at the end. */
const PADDING = 32;
/** Maximum number of groups in a row. */
export const MAX_GROUPS = 64;

export interface PackedShape {
  /** Dimensions to return, a multiple of 16. */
  wanted: number;
  /** [group number, step] of each stored group; a row has at most MAX_GROUPS groups. */
  groups: Uint8Array;
}

interface Tables {
  spread: Block;
  groups: Block;
}

let tables: Tables | undefined;

function tablesOf({ heap }: WasmInstance): Tables {
  if (tables !== undefined) return tables;
  tables = heap.allocateAll({ spread: (MAX_WIDTH + 1) * SPREAD_BYTES, groups: 2 * MAX_GROUPS });
  const view = new DataView(heap.buffer, tables.spread.address);
  for (let width = 0; width <= MAX_WIDTH; width++) writeSpread(view, width);
  return tables;
}

/**
 * @param bytes  starts with `count` rows
 * @returns rows [count × wanted] and the number of bytes they use, which exceeds bytes.length if the
 *   rows are truncated; or, if a group claims an impossible width, that width (> 8); undefined where
 *   WASM SIMD is missing
 */
export function unpackRowsInWasm(
  bytes: Uint8Array,
  count: number,
  { wanted, groups }: PackedShape,
): { rows: Int8Array; used: number } | number | undefined {
  const wasm = wasmInstance();
  if (wasm === undefined) return undefined;
  const { heap, scratch, exports } = wasm;
  const { spread, groups: groupsBlock } = tablesOf(wasm);
  const kept = groups.length / 2;
  const maxBytes = count * (((kept + 1) >> 1) + kept * GROUP);
  const input = bytes.length > maxBytes ? bytes.subarray(0, maxBytes) : bytes;
  const room = aligned(input.length + PADDING);
  const [at, out] = scratch.reserve(room, count * wanted) as [number, number];
  const { uint8, int8 } = heap.views;
  uint8.set(input, at);
  uint8.fill(0, at + input.length, at + room);
  uint8.set(groups, groupsBlock.address);
  const used = exports.unpackRows(at, input.length, count, groupsBlock.address, kept, wanted, spread.address, out);
  if (used < 0) return -used;
  return { rows: int8.slice(out, out + count * wanted), used };
}

/**
 * Value i starts at bit i · width. Writes the byte that holds it and the factor that moves its first
 * bit to bit 8.
 */
function writeSpread(view: DataView, width: number): void {
  for (let i = 0; i < GROUP; i++) {
    const bit = i * width;
    const half = width * SPREAD_BYTES + (i < GROUP / 2 ? 0 : SPREAD_BYTES / 2);
    const lane = 2 * (i % (GROUP / 2));
    view.setUint8(half + lane, bit >> 3);
    view.setUint8(half + lane + 1, (bit >> 3) + 1); // index 16, past the group, reads as 0
    view.setUint16(half + GROUP + lane, 1 << (8 - (bit & 7)), true);
  }
}
