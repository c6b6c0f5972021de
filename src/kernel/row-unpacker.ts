/** Packed rows back to int8, 16 numbers at a time (docs/index-format.md §2.5; src/index/format/packing.ts packs them and has the twin in TypeScript). */

import { type Block, type GrowableMemory, WasmHeap } from "./wasm-memory.js";
import { openWasmModule } from "./wasm-module.js";

/** Numbers that share a width. 16 numbers of any width are whole bytes. */
export const GROUP = 16;
const MOST_WIDTH = 8;
/** Of a width: for each half of a group which bytes hold the numbers, and the factors that shift them: 4 × 16 bytes. */
const SPREAD_BYTES = 64;
/** A group is read whole, even if it is the last of the bytes and claims less. */
const BEHIND = 32;
/** Groups of a row that an unpacker takes. */
export const MOST_GROUPS = 64;

interface UnpackExports {
  unpackRows(
    source: number,
    bytes: number,
    count: number,
    groups: number,
    kept: number,
    wanted: number,
    spread: number,
    out: number,
  ): number;
}

export interface PackedShape {
  /** Dimensions that are given: a multiple of 16. */
  wanted: number;
  /** [number of the group, its step] of each group that is kept, of rows of at most MOST_GROUPS groups. */
  groups: Uint8Array;
}

/** @returns undefined where WASM SIMD is missing */
export function openRowUnpacker(): RowUnpacker | undefined {
  const opened = openWasmModule<UnpackExports>();
  return opened && new RowUnpacker(opened.memory, opened.exports);
}

export class RowUnpacker {
  readonly #heap: WasmHeap;
  readonly #exports: UnpackExports;
  readonly #spread: Block;
  readonly #groups: Block;
  #scratch: Block;
  #view: Uint8Array;

  constructor(memory: GrowableMemory, exports: UnpackExports) {
    this.#heap = new WasmHeap(memory);
    this.#exports = exports;
    this.#spread = this.#heap.allocate((MOST_WIDTH + 1) * SPREAD_BYTES);
    this.#groups = this.#heap.allocate(2 * MOST_GROUPS);
    this.#scratch = this.#heap.allocate(32_768);
    this.#view = new Uint8Array(this.#heap.buffer);
    const view = new DataView(this.#heap.buffer, this.#spread.address);
    for (let width = 0; width <= MOST_WIDTH; width++) layOut(view, width);
  }

  /**
   * @param bytes  begin with `count` rows
   * @returns rows [count × wanted], and the bytes that they take, more than there are if they are cut short; or the width of a group, above 8,
   *   that no group can have
   */
  unpack(
    bytes: Uint8Array,
    count: number,
    { wanted, groups }: PackedShape,
  ): { rows: Int8Array; used: number } | number {
    const most = count * (((groups.length / 2 + 1) >> 1) + (groups.length / 2) * GROUP);
    const given = bytes.length > most ? bytes.subarray(0, most) : bytes;
    const room = Math.ceil((given.length + BEHIND) / 16) * 16;
    this.#makeRoom(room + count * wanted);
    const at = this.#scratch.address;
    const view = this.#view;
    view.set(given, at);
    view.fill(0, at + given.length, at + room);
    view.set(groups, this.#groups.address);
    const out = at + room;
    const used = this.#exports.unpackRows(
      at,
      given.length,
      count,
      this.#groups.address,
      groups.length / 2,
      wanted,
      this.#spread.address,
      out,
    );
    if (used < 0) return -used;
    return { rows: new Int8Array(view.buffer as ArrayBuffer, out, count * wanted).slice(), used };
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#scratch.bytes) return;
    const larger = this.#heap.allocate(2 * bytes);
    this.#heap.release(this.#scratch);
    this.#scratch = larger;
    this.#view = new Uint8Array(this.#heap.buffer);
  }
}

/** Number i begins at bit i · width: in which byte, and how far up its first bit is to be moved so that it becomes bit 8. */
function layOut(view: DataView, width: number): void {
  for (let i = 0; i < GROUP; i++) {
    const bit = i * width;
    const half = width * SPREAD_BYTES + (i < GROUP / 2 ? 0 : SPREAD_BYTES / 2);
    const lane = 2 * (i % (GROUP / 2));
    view.setUint8(half + lane, bit >> 3);
    view.setUint8(half + lane + 1, (bit >> 3) + 1); // 16, behind the group, is read as 0
    view.setUint16(half + GROUP + lane, 1 << (8 - (bit & 7)), true);
  }
}
