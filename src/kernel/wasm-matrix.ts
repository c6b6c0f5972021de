/** Rows in WASM memory. */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import type { Matrix } from "./kernel.js";
import type { Block, WasmHeap } from "./wasm-memory.js";

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly #heap: WasmHeap;
  #block: Block | undefined;

  constructor(heap: WasmHeap, rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.#heap = heap;
    this.#block = heap.allocate(rows * dim);
    heap.views.int8.fill(0, this.address, this.address + rows * dim); // the block may have been used before
  }

  /** Address of the first row. */
  get address(): number {
    if (this.#block === undefined) throw new VerbatimError("internal", "A matrix was used after free().");
    return this.#block.address;
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    this.#heap.views.int8.set(rows, this.address + firstRow * this.dim);
  }

  free(): void {
    if (this.#block !== undefined) this.#heap.release(this.#block);
    this.#block = undefined;
  }
}

/** @throws VerbatimError `invalid-argument` for a matrix of the other kernel */
export function wasmMatrix(matrix: Matrix): WasmMatrix {
  if (matrix instanceof WasmMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}
