/**
 * An allocator for the memory of a WASM instance: 16-byte aligned blocks, first fit; adjacent free
 * blocks are merged.
 */

import { VerbatimError } from "../errors.js";
import { type GrowableMemory, PAGE } from "./web-assembly.js";

const ALIGNMENT = 16;
/** The module has no static data. Address 0 stays unused so that it never names a block. */
const FIRST_ADDRESS = ALIGNMENT;
/**
 * Minimum growth: a megabyte, or a quarter of the current size. Without it, many small matrices would
 * each grow the memory.
 */
const MIN_GROWTH_PAGES = 16;
const MIN_GROWTH_SHARE = 1 / 4;

export interface Block {
  address: number;
  bytes: number;
}

/** The whole memory as numbers. Detached when an allocation grows the memory. */
interface MemoryViews {
  buffer: ArrayBuffer;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  float32: Float32Array;
}

/** Rounds up to the alignment. */
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

export class WasmHeap {
  readonly #memory: GrowableMemory;
  /** Free blocks in ascending order of address; no two are adjacent. */
  #free: Block[] = [];
  #views: MemoryViews | undefined;

  constructor(memory: GrowableMemory) {
    this.#memory = memory;
    const bytes = memory.buffer.byteLength - FIRST_ADDRESS;
    if (bytes > 0) this.#free.push({ address: FIRST_ADDRESS, bytes });
  }

  /** The memory's current buffer. Allocating may replace it. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Views of the current buffer. They are cached, because scoring one passage needs them several times. */
  get views(): MemoryViews {
    const { buffer } = this.#memory;
    if (this.#views?.buffer !== buffer) {
      this.#views = {
        buffer,
        int8: new Int8Array(buffer),
        uint8: new Uint8Array(buffer),
        int16: new Int16Array(buffer),
        uint16: new Uint16Array(buffer),
        int32: new Int32Array(buffer),
        uint32: new Uint32Array(buffer),
        float32: new Float32Array(buffer),
      };
    }
    return this.#views;
  }

  /** @throws VerbatimError `out-of-space` when the memory cannot grow */
  allocate(wanted: number): Block {
    const bytes = Math.max(ALIGNMENT, aligned(wanted));
    let slot = this.#free.findIndex((block) => block.bytes >= bytes);
    if (slot < 0) {
      this.#grow(bytes);
      slot = this.#free.length - 1;
    }
    const block = this.#free[slot]!;
    const allocated = { address: block.address, bytes };
    if (block.bytes === bytes) this.#free.splice(slot, 1);
    else this.#free[slot] = { address: block.address + bytes, bytes: block.bytes - bytes };
    return allocated;
  }

  /**
   * Allocates a block for each name, or none at all.
   * @param bytes  size of each block
   * @throws VerbatimError `out-of-space`
   */
  allocateAll<Name extends string>(bytes: Readonly<Record<Name, number>>): Record<Name, Block> {
    const blocks = {} as Record<Name, Block>;
    try {
      for (const name of Object.keys(bytes) as Name[]) blocks[name] = this.allocate(bytes[name]);
    } catch (error) {
      for (const block of Object.values<Block>(blocks)) this.release(block);
      throw error;
    }
    return blocks;
  }

  release(block: Block): void {
    const at = this.#free.findIndex((other) => other.address > block.address);
    const slot = at < 0 ? this.#free.length : at;
    const merged = { ...block };
    const before = this.#free[slot - 1];
    const after = this.#free[slot];
    const joinsBefore = before !== undefined && before.address + before.bytes === merged.address;
    const joinsAfter = after !== undefined && merged.address + merged.bytes === after.address;
    if (joinsBefore) {
      merged.address = before.address;
      merged.bytes += before.bytes;
    }
    if (joinsAfter) merged.bytes += after.bytes;
    this.#free.splice(slot - (joinsBefore ? 1 : 0), (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), merged);
  }

  #grow(bytes: number): void {
    const end = this.buffer.byteLength;
    const last = this.#free.at(-1);
    const missing = bytes - (last !== undefined && last.address + last.bytes === end ? last.bytes : 0);
    const needed = Math.ceil(missing / PAGE);
    const generous = Math.max(MIN_GROWTH_PAGES, needed, Math.floor((end / PAGE) * MIN_GROWTH_SHARE));
    const pages = this.#tryGrow(generous) ? generous : needed;
    if (pages !== generous && !this.#tryGrow(needed)) {
      throw new VerbatimError("out-of-space", `There is no memory for ${bytes} more bytes of vectors.`, {
        found: `${end} bytes allocated`,
        hint: "Free memory, or use the strategy sparse-first, which keeps no vectors in memory.",
      });
    }
    this.release({ address: end, bytes: pages * PAGE });
  }

  #tryGrow(pages: number): boolean {
    try {
      this.#memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }
}

/** Reusable room for the arguments and results of one call at a time; it grows to the largest. */
export class WasmScratch {
  readonly #heap: WasmHeap;
  #block: Block;

  /** @param bytes  initial size */
  constructor(heap: WasmHeap, bytes: number) {
    this.#heap = heap;
    this.#block = heap.allocate(bytes);
  }

  /**
   * Reserves consecutive aligned parts, valid until the next call.
   * @param bytes  size of each part
   * @returns their addresses
   * @throws VerbatimError `out-of-space`
   */
  reserve(...bytes: number[]): number[] {
    const parts = bytes.map(aligned);
    const total = parts.reduce((sum, part) => sum + part, 0);
    if (total > this.#block.bytes) {
      const larger = this.#heap.allocate(2 * total);
      this.#heap.release(this.#block);
      this.#block = larger;
    }
    let next = this.#block.address;
    return parts.map((part) => {
      next += part;
      return next - part;
    });
  }
}
