/** Rows in WASM memory: contiguous, or grouped by inverted list (src/vectors/centroids.ts). */

import { VerbatimError } from "../errors.js";
import { type RowBits, rowBytesOf } from "../vectors/nibbles.js";
import { checkList, checkRows, type MatrixShape, notSet, rowsOfShape } from "./argument-checks.js";
import type { Matrix } from "./kernel.js";
import { aligned, type Block, type WasmHeap } from "./wasm-memory.js";

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  readonly rowBytes: number;
  readonly heap: WasmHeap;
  readonly firsts: Uint32Array | undefined;
  /** The rows of a contiguous matrix. */
  #rows: Block | undefined;
  /**
   * For each list that was set: its rows, then their numbers. Allocated list by list, because a query
   * reads only a few of them.
   */
  #lists: Array<Block | undefined> = [];
  #isFreed = false;

  constructor(heap: WasmHeap, shape: MatrixShape) {
    const { dim, bits } = shape;
    this.rows = rowsOfShape(shape);
    this.dim = dim;
    this.bits = bits;
    this.rowBytes = rowBytesOf(dim, bits);
    this.heap = heap;
    this.firsts = shape.firsts;
    if (this.firsts !== undefined) return;
    const bytes = this.rows * this.rowBytes;
    this.#rows = heap.allocate(bytes);
    heap.views.int8.fill(0, this.address, this.address + bytes); // the block may have been used before
  }

  /** Address of the rows of a contiguous matrix. */
  get address(): number {
    if (this.#rows === undefined)
      throw new VerbatimError(
        "internal",
        this.#isFreed ? "A matrix was used after free()." : "A matrix of lists has no row address.",
      );
    return this.#rows.address;
  }

  set(firstRow: number, rows: Int8Array | Uint8Array): void {
    checkRows(this, firstRow, rows);
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    this.heap.views.uint8.set(bytes, this.address + firstRow * this.rowBytes);
  }

  setList(list: number, numbers: Uint32Array, rows: Uint8Array): void {
    checkList(this, list, { numbers, rows });
    if (this.#isFreed) throw new VerbatimError("internal", "A matrix was used after free().");
    if (numbers.length === 0) return;
    const idsAt = aligned(rows.length);
    const block = this.#lists[list] ?? this.heap.allocate(idsAt + numbers.byteLength);
    this.#lists[list] = block;
    const { uint8, uint32 } = this.heap.views;
    uint8.set(rows, block.address);
    uint32.set(numbers, (block.address + idsAt) >>> 2);
  }

  /** Addresses of a list's rows and row numbers; undefined for an empty list or one that was not set. */
  listAt(list: number): { rows: number; ids: number; count: number } | undefined {
    const block = this.#lists[list];
    if (block === undefined) return undefined;
    const count = this.#countOf(list);
    return { rows: block.address, ids: block.address + aligned(count * this.rowBytes), count };
  }

  /** @throws VerbatimError `invalid-argument` */
  checkSet(lists: Uint16Array): void {
    const missing = lists.find((list) => this.#lists[list] === undefined && this.#countOf(list) > 0);
    if (missing !== undefined) throw notSet(missing);
  }

  free(): void {
    const lists = this.#lists.filter((block) => block !== undefined);
    for (const block of lists.sort((a, b) => a.address - b.address)) this.heap.release(block);
    if (this.#rows !== undefined) this.heap.release(this.#rows);
    this.#rows = undefined;
    this.#lists = [];
    this.#isFreed = true;
  }

  #countOf(list: number): number {
    return this.firsts![list + 1]! - this.firsts![list]!;
  }
}
