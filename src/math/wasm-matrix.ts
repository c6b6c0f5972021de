/** Rows in the memory of the WASM kernel: one after another, or list by list (src/math/centroids.ts). */

import { VerbatimError } from "../errors.js";
import { BRANCHES, type Centroids, LISTS } from "./centroids.js";
import type { Matrix } from "./kernel.js";
import { type RowBits, rowBytesOf } from "./nibbles.js";
import { checkCentroids, checkMatrix, checkRows } from "./shapes.js";
import type { Block, WasmHeap } from "./wasm-memory.js";

export interface ListExports {
  assign(
    row: number,
    rows: number,
    dim: number,
    bits: number,
    centroids: number,
    norms: number,
    branches: number,
    wide: number,
    lists: number,
  ): void;
  place(
    row: number,
    rows: number,
    rowBytes: number,
    id: number,
    lists: number,
    next: number,
    to: number,
    ids: number,
  ): void;
}

/** Where the rows of every list lie: list n has the rows from offsets[n] to offsets[n + 1] of the matrix. */
export interface Lists {
  centroids: Centroids;
  offsets: Uint32Array;
}

/** Blocks that are needed until the rows lie in lists. */
interface Arranging {
  centroids: Centroids;
  /** Tops and lists; their norms; a row of int16. */
  tables: Block;
  norms: Block;
  wide: Block;
  /** List of every row: u16. */
  owners: Block;
  /** Next free place of every list. */
  next: Block;
  rows: Block;
  ids: Block;
  /** Rows whose list is known, and rows that lie in it. */
  assigned: number;
  placed: number;
  offsets: Uint32Array;
}

/** Rows are copied so many times as fast as they are assigned. */
const COPIED_FOR_ASSIGNED = 8;

const BLOCKS = ["tables", "norms", "wide", "owners", "next", "rows", "ids"] as const;

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly bits: RowBits;
  readonly rowBytes: number;
  readonly heap: WasmHeap;
  lists: Lists | undefined;
  readonly #exports: ListExports;
  #block: Block | undefined;
  #ids: Block | undefined;
  #arranging: Arranging | undefined;

  constructor(heap: WasmHeap, exports: ListExports, { rows, dim, bits }: { rows: number; dim: number; bits: RowBits }) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.bits = bits;
    this.rowBytes = rowBytesOf(dim, bits);
    this.heap = heap;
    this.#exports = exports;
    this.#block = heap.allocate(rows * this.rowBytes);
    new Int8Array(heap.buffer, this.#block.address, rows * this.rowBytes).fill(0); // the block may have been used before
  }

  get centroids(): Centroids | undefined {
    return this.lists?.centroids;
  }

  get address(): number {
    if (this.#block === undefined) throw new VerbatimError("internal", "A freed matrix is used.");
    return this.#block.address;
  }

  /** Numbers of the rows in the order in which they lie, where they lie in lists. */
  get idsAddress(): number {
    if (this.#ids === undefined) throw new VerbatimError("internal", "A matrix has no lists.");
    return this.#ids.address;
  }

  set(firstRow: number, rows: Int8Array | Uint8Array): void {
    checkRows(this, firstRow, rows);
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    new Uint8Array(this.heap.buffer).set(bytes, this.address + firstRow * this.rowBytes);
    this.#giveUp();
  }

  arrange(centroids: Centroids, rows: number): boolean {
    checkCentroids(this, centroids);
    if (this.lists !== undefined) return true;
    if (this.#arranging?.centroids !== centroids) {
      this.#giveUp();
      this.#arranging = this.#begin(centroids);
    }
    const work = this.#arranging;
    if (work.assigned < this.rows) this.#assign(work, rows);
    else this.#place(work, rows * COPIED_FOR_ASSIGNED);
    if (work.placed < this.rows) return false;
    this.heap.release(this.#block!);
    this.#block = work.rows;
    this.#ids = work.ids;
    this.lists = { centroids, offsets: work.offsets };
    this.#arranging = undefined;
    for (const name of BLOCKS) if (name !== "rows" && name !== "ids") this.heap.release(work[name]);
    return true;
  }

  #begin(centroids: Centroids): Arranging {
    const { heap, rows, dim, rowBytes } = this;
    const blocks = heap.allocateAll({
      tables: (BRANCHES + LISTS) * dim,
      norms: (BRANCHES + LISTS) * 4,
      wide: dim * 2,
      owners: rows * 2,
      next: LISTS * 4,
      rows: rows * rowBytes,
      ids: rows * 4,
    });
    const { tables, norms } = blocks;
    const values = new Int8Array(heap.buffer, tables.address);
    values.set(centroids.tops);
    values.set(centroids.lists, BRANCHES * dim);
    const squares = new Int32Array(heap.buffer, norms.address);
    squares.set(centroids.topNorms);
    squares.set(centroids.listNorms, BRANCHES);
    return { centroids, ...blocks, assigned: 0, placed: 0, offsets: new Uint32Array(LISTS + 1) };
  }

  #assign(work: Arranging, most: number): void {
    const { dim, bits, rowBytes, heap } = this;
    const { tables, norms, wide, owners, assigned, offsets } = work;
    const rows = Math.min(most, this.rows - assigned);
    const from = this.address + assigned * rowBytes;
    const to = owners.address + assigned * 2;
    this.#exports.assign(from, rows, dim, bits, tables.address, norms.address, BRANCHES, wide.address, to);
    for (const list of new Uint16Array(heap.buffer, to, rows)) offsets[list + 1]!++;
    work.assigned += rows;
    if (work.assigned < this.rows) return;
    for (let n = 0; n < LISTS; n++) offsets[n + 1]! += offsets[n]!;
    new Uint32Array(heap.buffer, work.next.address, LISTS).set(offsets.subarray(0, LISTS));
  }

  #place(work: Arranging, most: number): void {
    const { rowBytes } = this;
    const { owners, next, placed } = work;
    const rows = Math.min(most, this.rows - placed);
    const from = this.address + placed * rowBytes;
    const lists = owners.address + placed * 2;
    this.#exports.place(from, rows, rowBytes, placed, lists, next.address, work.rows.address, work.ids.address);
    work.placed += rows;
  }

  #giveUp(): void {
    if (this.#arranging === undefined) return;
    for (const name of BLOCKS) this.heap.release(this.#arranging[name]);
    this.#arranging = undefined;
  }

  free(): void {
    this.#giveUp();
    for (const block of [this.#block, this.#ids]) if (block !== undefined) this.heap.release(block);
    this.#block = undefined;
    this.#ids = undefined;
  }
}
