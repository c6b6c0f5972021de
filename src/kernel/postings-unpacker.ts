/** Ascending numbers and lists of postings back from varints (docs/index-format.md §6.3, §8); src/index has the twins in TypeScript, which tell what is wrong. */

import { type GrowableMemory, WasmHeap, WasmScratch } from "./wasm-memory.js";
import { openWasmModule } from "./wasm-module.js";

interface UnpackExports {
  readAscending(bytes: number, length: number, count: number, limit: number, out: number): number;
  readPostings(
    bytes: number,
    length: number,
    count: number,
    ones: number,
    limit: number,
    units: number,
    values: number,
  ): number;
}

let shared: PostingsUnpacker | "none" | undefined;

/** One for all who ask, since no call waits. @returns undefined where WASM SIMD is missing */
export function postingsUnpacker(): PostingsUnpacker | undefined {
  if (shared === undefined) {
    const opened = openWasmModule<UnpackExports>();
    shared = opened === undefined ? "none" : new PostingsUnpacker(opened.memory, opened.exports);
  }
  return shared === "none" ? undefined : shared;
}

export class PostingsUnpacker {
  readonly #heap: WasmHeap;
  readonly #exports: UnpackExports;
  readonly #scratch: WasmScratch;

  constructor(memory: GrowableMemory, exports: UnpackExports) {
    this.#heap = new WasmHeap(memory);
    this.#exports = exports;
    this.#scratch = new WasmScratch(this.#heap, 65_536);
  }

  /**
   * @param bytes  differences less one, the first against −1
   * @param out  [count]; what it holds where they are refused means nothing
   * @returns false where the bytes are not so many numbers below `limit`
   */
  ascending(bytes: Uint8Array, { count, limit }: { count: number; limit: number }, out: Uint32Array): boolean {
    const [bytesAt, outAt] = this.#scratch.layOut(bytes.length, count * 4) as [number, number];
    const { buffer } = this.#heap;
    new Uint8Array(buffer, bytesAt, bytes.length).set(bytes);
    if (this.#exports.readAscending(bytesAt, bytes.length, count, limit, outAt) === 0) return false;
    out.set(new Uint32Array(buffer, outAt, count));
    return true;
  }

  /**
   * @param bytes  of a list's body: what is said of its runs, then the runs
   * @param into  arrays of at least `count`
   * @returns false where the bytes are not so many postings of units below `limit`
   */
  postings(
    bytes: Uint8Array,
    { count, ones, limit }: { count: number; ones: boolean; limit: number },
    into: { units: Uint32Array; values: Uint8Array },
  ): boolean {
    const [bytesAt, unitsAt, valuesAt] = this.#scratch.layOut(bytes.length, count * 4, count) as [
      number,
      number,
      number,
    ];
    const { buffer } = this.#heap;
    new Uint8Array(buffer, bytesAt, bytes.length).set(bytes);
    const isWhole = this.#exports.readPostings(bytesAt, bytes.length, count, ones ? 1 : 0, limit, unitsAt, valuesAt);
    if (isWhole === 0) return false;
    into.units.set(new Uint32Array(buffer, unitsAt, count));
    if (ones) into.values.fill(1, 0, count);
    else into.values.set(new Uint8Array(buffer, valuesAt, count));
    return true;
  }
}
