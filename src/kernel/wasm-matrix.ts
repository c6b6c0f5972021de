/** Rows in WASM memory. */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import { exactDimensions } from "./bounds.js";
import type { Matrix } from "./kernel.js";
import type { WasmInstance } from "./wasm-instance.js";
import type { Block, WasmHeap } from "./wasm-memory.js";

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly #heap: WasmHeap;
  readonly #exports: WasmInstance["exports"];
  #block: Block | undefined;
  /** Made when they are first needed: most matrices are scanned once or never. */
  #restLengths: Block | undefined;

  constructor({ heap, exports }: WasmInstance, rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.#heap = heap;
    this.#exports = exports;
    this.#block = heap.allocate(rows * dim);
    heap.views.int8.fill(0, this.address, this.address + rows * dim); // the block may have been used before
  }

  /** Address of the first row. */
  get address(): number {
    if (this.#block === undefined) throw new VerbatimError("internal", "A matrix was used after free().");
    return this.#block.address;
  }

  /** Address of the lengths [rows] of the dimensions that bounds are not exact over, single precision. */
  get restLengths(): number {
    const { address, rows, dim } = this;
    if (this.#restLengths === undefined) {
      this.#restLengths = this.#heap.allocate(rows * 4);
      this.#exports.restLengths(address, rows, dim, exactDimensions(dim), this.#restLengths.address);
    }
    return this.#restLengths.address;
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    this.#heap.views.int8.set(rows, this.address + firstRow * this.dim);
    this.#forgetLengths();
  }

  free(): void {
    if (this.#block !== undefined) this.#heap.release(this.#block);
    this.#block = undefined;
    this.#forgetLengths();
  }

  #forgetLengths(): void {
    if (this.#restLengths !== undefined) this.#heap.release(this.#restLengths);
    this.#restLengths = undefined;
  }
}

/** @throws VerbatimError `invalid-argument` for a matrix of the other kernel */
export function wasmMatrix(matrix: Matrix): WasmMatrix {
  if (matrix instanceof WasmMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}
