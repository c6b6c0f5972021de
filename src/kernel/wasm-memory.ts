/** Memory of a WASM module, laid out from outside: aligned blocks, first fit, freed blocks are joined and used again. */

import { VerbatimError } from "../errors.js";

const PAGE = 65_536;
const ALIGNMENT = 16;
/** The module has no static data; address 0 stays unused so that it never names a block. */
const FIRST_ADDRESS = ALIGNMENT;
/** Growing by larger steps than asked keeps many small matrices from growing the memory each: a megabyte, or a share of what there is. */
const LEAST_GROWTH_PAGES = 16;
const LEAST_GROWTH_SHARE = 1 / 4;

/** The part of WebAssembly.Memory that is used here (the pure part of the project has no DOM types). */
export interface GrowableMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface Block {
  address: number;
  bytes: number;
}

/** Bytes, rounded up to where the next part may begin. */
export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

export class WasmHeap {
  readonly #memory: GrowableMemory;
  /** Free blocks, address ascending, never touching each other. */
  #free: Block[] = [];

  constructor(memory: GrowableMemory) {
    this.#memory = memory;
    const bytes = memory.buffer.byteLength - FIRST_ADDRESS;
    if (bytes > 0) this.#free.push({ address: FIRST_ADDRESS, bytes });
  }

  /** The memory now: views of it end when a block is allocated. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
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
    const taken = { address: block.address, bytes };
    if (block.bytes === bytes) this.#free.splice(slot, 1);
    else this.#free[slot] = { address: block.address + bytes, bytes: block.bytes - bytes };
    return taken;
  }

  /** A block of each name, or none. @param bytes  of each @throws VerbatimError `out-of-space` */
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
    this.#free.splice(at < 0 ? this.#free.length : at, 0, { ...block });
    const joined: Block[] = [];
    for (const next of this.#free) {
      const last = joined.at(-1);
      if (last !== undefined && last.address + last.bytes === next.address) last.bytes += next.bytes;
      else joined.push({ ...next });
    }
    this.#free = joined;
  }

  #grow(bytes: number): void {
    const end = this.buffer.byteLength;
    const last = this.#free.at(-1);
    const missing = bytes - (last !== undefined && last.address + last.bytes === end ? last.bytes : 0);
    const needed = Math.ceil(missing / PAGE);
    const roomy = Math.max(LEAST_GROWTH_PAGES, needed, Math.floor((end / PAGE) * LEAST_GROWTH_SHARE));
    const pages = this.#tryGrow(roomy) ? roomy : needed;
    if (pages !== roomy && !this.#tryGrow(needed)) {
      throw new VerbatimError("out-of-space", `There is no memory for ${bytes} more bytes of vectors.`, {
        found: `${end} bytes in use or free`,
        hint: "Free memory, or ask with the strategy sparse-first, which keeps no vectors in memory.",
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

/** Room for the arguments and results of one call after another: it grows to the largest. */
export class WasmScratch {
  readonly #heap: WasmHeap;
  #block: Block;

  /** @param bytes  to begin with */
  constructor(heap: WasmHeap, bytes: number) {
    this.#heap = heap;
    this.#block = heap.allocate(bytes);
  }

  /** Aligned addresses of consecutive parts, for who needs them until the next call. @throws VerbatimError `out-of-space` */
  layOut(...bytes: number[]): number[] {
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
