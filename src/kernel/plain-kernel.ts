/** The kernel in plain TypeScript: the readable twin of src/kernel/assembly/, and the fallback without WASM SIMD. */

import { checkDots, checkMatrixDots, checkPairs, checkRowDot } from "./argument-checks.js";
import type { Kernel, Matrix, PairRanges, PassageSums } from "./kernel.js";
import { dotAt, PlainMatrix, plainMatrix } from "./plain-matrix.js";
import { PlainSums } from "./plain-sums.js";

export class PlainKernel implements Kernel {
  readonly name = "plain";

  createMatrix(rows: number, dim: number): Matrix {
    return new PlainMatrix(rows, dim);
  }

  openShared(): undefined {}

  createPassageSums(owners: Uint32Array, documents: number): PassageSums {
    return new PlainSums(owners, documents);
  }

  matrixDots(matrix: Matrix, query: Int16Array, out: Int32Array): void {
    const own = plainMatrix(matrix);
    checkMatrixDots(own, query, out.length);
    for (let row = 0; row < out.length; row++) out[row] = dotAt(own.values, row * query.length, query);
  }

  rowDot(matrix: Matrix, row: number, query: Int16Array): number {
    const own = plainMatrix(matrix);
    checkRowDot(own, query, row);
    return dotAt(own.values, row * query.length, query);
  }

  dots(vectors: Int8Array, query: Int16Array, out: Int32Array): void {
    checkDots(vectors, query, out.length);
    for (let row = 0; row < out.length; row++) out[row] = dotAt(vectors, row * query.length, query);
  }

  pairDots(a: Int8Array, b: Int8Array, pairs: PairRanges): number {
    const count = checkPairs(a, b, pairs);
    const { query, from, to, out } = pairs;
    const dim = query.length;
    const weighted = new Float64Array(dim);
    let n = 0;
    for (let i = 0; i < from.length; i++) {
      for (let d = 0; d < dim; d++) weighted[d] = a[i * dim + d]! * query[d]!;
      for (let j = from[i]!; j < to[i]!; j++) {
        let sum = 0;
        for (let d = 0; d < dim; d++) sum += weighted[d]! * b[j * dim + d]!;
        out[n++] = sum;
      }
    }
    return count;
  }
}
