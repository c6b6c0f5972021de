/** Rows in the memory of the WASM kernel: one after another, or list by list (src/math/centroids.ts). */

import { VerbatimError } from "../errors.js";
import { LISTS } from "./centroids.js";
import type { Matrix } from "./kernel.js";
import { type RowBits, rowBytesOf } from "./nibbles.js";
import { checkList, checkRows, type MatrixShape, notSet, rowsOfShape } from "./shapes.js";
import type { Block, WasmHeap } from "./wasm-memory.js";

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  readonly rowBytes: number;
  readonly heap: WasmHeap;
  readonly firsts: Uint32Array | undefined;
  #blocks: { rows: Block; ids?: Block } | undefined;
  /** 1 for each list that was set. */
  readonly #set = new Uint8Array(LISTS);

  constructor(heap: WasmHeap, shape: MatrixShape) {
    const { dim, bits } = shape;
    this.rows = rowsOfShape(shape);
    this.dim = dim;
    this.bits = bits;
    this.rowBytes = rowBytesOf(dim, bits);
    this.heap = heap;
    this.firsts = shape.firsts;
    const bytes = this.rows * this.rowBytes;
    if (this.firsts === undefined) {
      this.#blocks = heap.allocateAll({ rows: bytes });
      new Int8Array(heap.buffer, this.address, bytes).fill(0); // the block may have been used before
    } else {
      this.#blocks = heap.allocateAll({ rows: bytes, ids: this.rows * 4 }); // fresh memory that nobody writes to takes no room
      for (let n = 0; n < LISTS; n++) this.#set[n] = this.firsts[n] === this.firsts[n + 1] ? 1 : 0;
    }
  }

  get address(): number {
    if (this.#blocks === undefined) throw new VerbatimError("internal", "A freed matrix is used.");
    return this.#blocks.rows.address;
  }

  /** Numbers of the rows in the order in which they lie, where they lie in lists. */
  get idsAddress(): number {
    if (this.#blocks?.ids === undefined) throw new VerbatimError("internal", "A matrix has no lists.");
    return this.#blocks.ids.address;
  }

  set(firstRow: number, rows: Int8Array | Uint8Array): void {
    checkRows(this, firstRow, rows);
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    new Uint8Array(this.heap.buffer).set(bytes, this.address + firstRow * this.rowBytes);
  }

  setList(list: number, numbers: Uint32Array, rows: Uint8Array): void {
    checkList(this, list, { numbers, rows });
    const first = this.firsts![list]!;
    new Uint8Array(this.heap.buffer).set(rows, this.address + first * this.rowBytes);
    new Uint32Array(this.heap.buffer).set(numbers, this.idsAddress / 4 + first);
    this.#set[list] = 1;
  }

  /** @throws VerbatimError `invalid-argument` */
  checkSet(lists: Uint16Array | undefined): void {
    const set = this.#set;
    const missing = lists === undefined ? set.indexOf(0) : (lists.find((list) => set[list] !== 1) ?? -1);
    if (missing >= 0) throw notSet(missing);
  }

  free(): void {
    for (const block of Object.values(this.#blocks ?? {})) this.heap.release(block);
    this.#blocks = undefined;
  }
}
