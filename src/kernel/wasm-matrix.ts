/** Rows in WASM memory: the heads of all rows, then the rests, then the lengths of the rests (src/kernel/bounds.ts). */

import { VerbatimError } from "../errors.js";
import { checkMatrix, checkRows } from "./argument-checks.js";
import { partsOf } from "./bounds.js";
import type { Matrix } from "./kernel.js";
import type { WasmInstance } from "./wasm-instance.js";
import type { Block } from "./wasm-memory.js";

/** Addresses of the parts of a matrix, and the sizes of a row's parts. */
interface MatrixParts {
  heads: number;
  rests: number;
  /** Single precision. */
  lengths: number;
  head: number;
  rest: number;
}

export class WasmMatrix implements Matrix {
  readonly rows: number;
  readonly dim: number;
  readonly #wasm: WasmInstance;
  #block: Block | undefined;

  constructor(wasm: WasmInstance, rows: number, dim: number) {
    checkMatrix(rows, dim);
    this.rows = rows;
    this.dim = dim;
    this.#wasm = wasm;
    const bytes = rows * (dim + 4);
    this.#block = wasm.heap.allocate(bytes);
    wasm.heap.views.int8.fill(0, this.#block.address, this.#block.address + bytes); // it may have been used before
  }

  /** @param row  the part of the matrix from this row on; default all */
  parts(row = 0): MatrixParts {
    if (this.#block === undefined) throw new VerbatimError("internal", "A matrix was used after free().");
    const { head, rest } = partsOf(this.dim);
    const { address } = this.#block;
    const rests = address + this.rows * head;
    const lengths = rests + this.rows * rest;
    return { heads: address + row * head, rests: rests + row * rest, lengths: lengths + row * 4, head, rest };
  }

  set(firstRow: number, rows: Int8Array): void {
    checkRows(this, firstRow, rows);
    const { heads, rests, lengths, head, rest } = this.parts(firstRow);
    const { heap, scratch, exports } = this.#wasm;
    const [rowsAt] = scratch.reserve(rows.length) as [number];
    heap.views.int8.set(rows, rowsAt);
    exports.setRows(rowsAt, rows.length / this.dim, head, rest, heads, rests, lengths);
  }

  free(): void {
    if (this.#block !== undefined) this.#wasm.heap.release(this.#block);
    this.#block = undefined;
  }
}

/** @throws VerbatimError `invalid-argument` for a matrix of the other kernel */
export function wasmMatrix(matrix: Matrix): WasmMatrix {
  if (matrix instanceof WasmMatrix) return matrix;
  throw new VerbatimError("invalid-argument", "The matrix belongs to another kernel.");
}
