/** 4-bit codes: both kernels choose the same rows, scores are whole products, and little is missed of rows as a model gives them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CENTROIDS, codebookFrom, codebookOf, codebookText, codeTables, learnCodebook, sumTables } from "./codebook.js";
import type { Kernel, ScanPart } from "./kernel.js";
import { PlainKernel } from "./plain-kernel.js";
import { Random } from "./random.js";
import { openWasmKernel } from "./wasm-kernel.js";

const plain = new PlainKernel();
const wasm = openWasmKernel() as Kernel;

/** Rows whose spread falls from dimension to dimension, as rotated start vectors' does. */
function rowsOf(random: Random, rows: number, dim: number): Int8Array {
  const normal = (): number => random.next() + random.next() + random.next() + random.next() - 2;
  return Int8Array.from({ length: rows * dim }, (_, n) => {
    const spread = 60 * (1 - (0.85 * (n % dim)) / dim);
    return Math.max(-127, Math.min(127, Math.round(normal() * spread)));
  });
}

function queryOf(random: Random, dim: number): Int16Array {
  return Int16Array.from({ length: dim }, (_, d) => Math.round((random.next() - 0.5) * 40_000 * (1 - (0.7 * d) / dim)));
}

describe("a codebook", () => {
  it("gives every cell its nearest centroid, ties to the first", () => {
    const random = new Random(5);
    const dim = 16;
    const codebook = learnCodebook(rowsOf(random, 400, dim), dim);
    const tables = codeTables(codebook);
    for (let n = 0; n < 2000; n++) {
      const [p, i, j] = [random.int(dim / 2), random.int(128), random.int(128)];
      const middle = (cell: number): number => (cell < 64 ? 2 * cell : 2 * cell - 256) + 0.5;
      const distances = Array.from({ length: CENTROIDS }, (_, c) => {
        const at = (p * CENTROIDS + c) * 2;
        return (codebook.centroids[at]! - middle(i)) ** 2 + (codebook.centroids[at + 1]! - middle(j)) ** 2;
      });
      expect(tables[(p * 128 + i) * 128 + j]).toBe(distances.indexOf(Math.min(...distances)));
    }
  });

  it("is the same for the same rows, and of one length only", () => {
    const rows = rowsOf(new Random(6), 300, 32);
    expect(learnCodebook(rows, 32)).toEqual(learnCodebook(rows, 32));
    expect(() => codebookOf(32, new Int8Array(100))).toThrow(/codebook/);
    const text = codebookText(learnCodebook(rows, 32));
    expect(codebookFrom(text, 32)).toEqual(learnCodebook(rows, 32));
    expect(codebookFrom(text, 32)).toBe(codebookFrom(text, 32));
    expect(() => codebookFrom(text, 16)).toThrow(/codebook/);
    // one value everywhere: every centroid is a copy, nothing divides by 0
    const same = learnCodebook(new Int8Array(32 * 40).fill(7), 32);
    expect(sumTables(same, new Int16Array(32).fill(3)).every((entry) => entry === 0)).toBe(true);
  });

  it("has sums in steps of one size, four of which fit a byte", () => {
    const random = new Random(7);
    const codebook = learnCodebook(rowsOf(random, 300, 32), 32);
    const sums = sumTables(codebook, queryOf(random, 32));
    expect(Math.max(...sums)).toBe(63);
    expect(sums.length).toBe(16 * CENTROIDS);
  });
});

describe("the two kernels, by codes", () => {
  it("choose the same rows of many parts and ranges, and give them their whole products", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          sizes: fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 4 }),
          blocks: fc.integer({ min: 1, max: 4 }),
          k: fc.integer({ min: 1, max: 60 }),
          candidates: fc.integer({ min: 1, max: 120 }),
          whole: fc.boolean(),
        }),
        ({ seed, sizes, blocks, k, candidates, whole }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const codebook = learnCodebook(rowsOf(random, 64, dim), dim, 3);
          const query = queryOf(random, dim);
          let firstRow = 0;
          const given = sizes.map((rows) => {
            const part = { firstRow, values: rowsOf(random, rows, dim), rows };
            firstRow += rows + random.int(40);
            const cuts = [0, 1, 2, 3].map(() => random.int(rows + 1)).sort((a, b) => a - b);
            return { ...part, ranges: whole ? undefined : Uint32Array.from(cuts) };
          });
          const found = [plain, wasm].map((kernel) => {
            const parts: ScanPart[] = given.map(({ values, rows, ranges, firstRow: first }) => {
              const matrix = kernel.createMatrix(rows, dim);
              matrix.set(0, values);
              matrix.encode(codebook);
              return { matrix, firstRow: first, ...(ranges === undefined ? {} : { ranges }) };
            });
            const quick = kernel.scanTopK(parts, query, k, { codebook, candidates });
            const exact = kernel.scanTopK(parts, query, Math.max(1, firstRow));
            for (const { matrix } of parts) matrix.free();
            return { quick, exact };
          });
          const [a, b] = found as [(typeof found)[0], (typeof found)[0]];
          expect(b.quick).toEqual(a.quick);
          const products = new Map(Array.from(a.exact.rows, (row, n) => [row, a.exact.scores[n]!]));
          expect(a.quick.rows.length).toBe(Math.min(k, candidates, products.size));
          for (const [n, row] of a.quick.rows.entries()) expect(a.quick.scores[n]).toBe(products.get(row));
          // with every row a candidate nothing is missed
          if (candidates >= products.size) expect(a.quick.rows).toEqual(a.exact.rows.slice(0, k));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("miss little: of the best 100 of 20,000 rows at least 95 are among 1,600 candidates, of ten queries together", () => {
    const random = new Random(11);
    const dim = 32;
    const values = rowsOf(random, 20_000, dim);
    const codebook = learnCodebook(values.subarray(0, 2000 * dim), dim);
    const matrix = wasm.createMatrix(20_000, dim);
    matrix.set(0, values);
    matrix.encode(codebook);
    let found = 0;
    for (let q = 0; q < 10; q++) {
      const query = queryOf(random, dim);
      const exact = new Set(wasm.scanTopK([{ matrix, firstRow: 0 }], query, 100).rows);
      const quick = wasm.scanTopK([{ matrix, firstRow: 0 }], query, 100, { codebook, candidates: 1600 });
      found += quick.rows.filter((row) => exact.has(row)).length;
    }
    matrix.free();
    expect(found).toBeGreaterThanOrEqual(950);
  });

  it("refuse a matrix without these codes", () => {
    const rows = rowsOf(new Random(3), 40, 32);
    const [codebook, other] = [learnCodebook(rows, 32, 1), learnCodebook(rows, 32, 1)];
    for (const kernel of [plain, wasm]) {
      const matrix = kernel.createMatrix(40, 32);
      matrix.set(0, rows);
      const scan = (): unknown =>
        kernel.scanTopK([{ matrix, firstRow: 0 }], new Int16Array(32), 5, { codebook, candidates: 9 });
      expect(scan).toThrow(/Codes/);
      matrix.encode(other);
      expect(scan).toThrow(/Codes/);
      matrix.encode(codebook);
      expect(scan).not.toThrow();
      matrix.set(0, rows.subarray(0, 32)); // codes are given up with the rows they were of
      expect(scan).toThrow(/Codes/);
      expect(() => matrix.encode(learnCodebook(new Int8Array(16 * 20), 16, 1))).toThrow(/codebook/);
      matrix.free();
    }
  });
});
