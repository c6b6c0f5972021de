import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawRows } from "../../test/support/rows.js";
import {
  BRANCHES,
  type Centroids,
  centroidsFrom,
  centroidsOf,
  centroidsText,
  LISTS,
  learnCentroids,
  listOf,
  probeOrder,
} from "./centroids.js";
import type { Kernel, ScanPart } from "./kernel.js";
import { PlainKernel } from "./plain-kernel.js";
import { setBits } from "./probe.js";
import { Random } from "./random.js";
import { openWasmKernel } from "./wasm-kernel.js";

const plain = new PlainKernel();
const wasm = openWasmKernel() as Kernel;

function bytes(random: Random, length: number, range = 127): Int8Array {
  return Int8Array.from({ length }, () => random.int(2 * range + 1) - range);
}

const drawn = (random: Random, dim: number): Centroids => centroidsOf(dim, bytes(random, (BRANCHES + LISTS) * dim));

describe("centroids", () => {
  it("survive their text, one object for one text", () => {
    const centroids = drawn(new Random(3), 16);
    const text = centroidsText(centroids);
    expect(centroidsFrom(text, 16)).toEqual(centroids);
    expect(centroidsFrom(text, 16)).toBe(centroidsFrom(text, 16));
    expect(() => centroidsFrom(text, 32)).toThrow(expect.objectContaining({ code: "unsupported-format" }));
  });

  it("tell apart what lies apart", () => {
    // 32 far groups of 32 near ones: every row comes to lie beside its own kind, and beside few others
    const random = new Random(11);
    const far = Array.from({ length: BRANCHES }, () => bytes(random, 16, 90));
    const near = far.flatMap((group) =>
      Array.from({ length: BRANCHES }, () => group.map((x) => x + random.int(31) - 15)),
    );
    const kinds = Array.from({ length: 6000 }, () => random.int(near.length));
    const rows = Int8Array.from(kinds.flatMap((kind) => [...near[kind]!.map((x) => x + random.int(5) - 2)]));
    const centroids = learnCentroids(rows, 16);
    expect(learnCentroids(rows, 16)).toEqual(centroids);
    const distance = (row: Int8Array, at: number): number =>
      row.reduce((sum, x, d) => sum + (x - centroids.lists[at * 16 + d]!) ** 2, 0);
    let within = 0;
    let total = 0;
    for (let r = 0; r < kinds.length; r++) {
      const row = rows.subarray(r * 16, (r + 1) * 16);
      within += distance(row, listOf(centroids, row));
      total += row.reduce((sum, x) => sum + x * x, 0);
    }
    expect(within / total).toBeLessThan(0.03);
  });

  it("order lists by their product with the question, ties by number", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(1, 32767), (seed, range) => {
        const random = new Random(seed);
        const centroids = drawn(random, 16);
        const query = Int16Array.from({ length: 16 }, () => random.int(2 * range + 1) - range);
        const score = (list: number): number =>
          query.reduce((sum, x, d) => sum + x * centroids.lists[list * 16 + d]!, 0);
        const expected = Array.from({ length: LISTS }, (_, n) => n).sort((a, b) => score(b) - score(a) || a - b);
        expect([...probeOrder(centroids, query)]).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the two kernels, rows in lists", () => {
  it("find the same rows of the same lists, with ties, filters, matrices with and without lists", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          sizes: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 4 }),
          blocks: fc.integer({ min: 1, max: 3 }), // 2: the rows of 32 dimensions have a loop of their own
          k: fc.integer({ min: 1, max: 80 }),
          range: fc.constantFrom(0, 1, 127),
          share: fc.constantFrom(0.001, 0.1, 0.5, 1, undefined),
          stretch: fc.integer({ min: 1, max: 400 }),
        }),
        ({ seed, sizes, blocks, k, range, share, stretch }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const [centroids, foreign] = [drawn(random, dim), drawn(random, dim)];
          const most = range === 1 ? 1 : 32767;
          const query = Int16Array.from({ length: dim }, () => random.int(2 * most + 1) - most);
          let firstRow = 0;
          const parts = sizes.map((rows) => {
            const cuts = Array.from({ length: 2 * random.int(5) }, () => random.int(rows + 1)).sort((a, b) => a - b);
            const part = {
              rows,
              ...drawRows(random, rows, { dim, bits: random.int(2) === 0 ? 4 : 8, range }),
              firstRow,
              ranges: random.int(3) === 0 ? undefined : Uint32Array.from(cuts),
              own: [centroids, centroids, foreign, undefined][random.int(4)],
            };
            firstRow += rows + random.int(3);
            return part;
          });
          const [expected, found] = [plain, wasm].map((kernel) => {
            const scanned: ScanPart[] = parts.map(({ rows, bits, stored, firstRow: first, ranges, own }) => {
              const matrix = kernel.createMatrix(rows, dim, bits);
              matrix.set(0, stored);
              if (own !== undefined) while (!matrix.arrange(own, stretch));
              expect(matrix.centroids).toBe(own);
              return { matrix, firstRow: first, ...(ranges === undefined ? {} : { ranges }) };
            });
            const top = kernel.scanTopK(scanned, query, k, share === undefined ? undefined : { centroids, share });
            const exact = kernel.scanTopK(scanned, query, k);
            for (const { matrix } of scanned) matrix.free();
            return { top, exact };
          });
          expect(found).toEqual(expected);
          expect(found!.top.rows.length).toBe(found!.exact.rows.length);
          if (share === undefined || share === 1) expect(found!.top).toEqual(found!.exact);
          const all: Array<{ row: number; score: number }> = [];
          for (const { rows, values, firstRow: first, ranges = Uint32Array.of(0, rows) } of parts) {
            for (let r = 0; r < ranges.length; r += 2) {
              for (let row = ranges[r]!; row < ranges[r + 1]!; row++) {
                const score = query.reduce((sum, x, d) => sum + x * values[row * dim + d]!, 0);
                all.push({ row: first + row, score });
              }
            }
          }
          all.sort((a, b) => b.score - a.score || a.row - b.row);
          const { rows, scores } = found!.exact;
          expect(Array.from(rows, (row, n) => ({ row, score: scores[n]! }))).toEqual(all.slice(0, k));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("scan a matrix as it was until all its rows lie in lists, and refuse to write into it then", () => {
    const random = new Random(7);
    const centroids = drawn(random, 32);
    const values = bytes(random, 500 * 32);
    const query = Int16Array.from({ length: 32 }, () => random.int(65535) - 32767);
    const matrix = wasm.createMatrix(500, 32);
    matrix.set(0, values);
    const parts = [{ matrix, firstRow: 0 }];
    const probe = { centroids, share: 0.001 };
    const before = wasm.scanTopK(parts, query, 20);
    while (!matrix.arrange(centroids, 60)) expect(wasm.scanTopK(parts, query, 20, probe)).toEqual(before);
    expect(wasm.scanTopK(parts, query, 20)).toEqual(before);
    expect(wasm.scanTopK(parts, query, 20, probe)).not.toEqual(before);
    expect(() => matrix.set(0, values)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    matrix.free();
    const half = wasm.createMatrix(500, 32);
    half.set(0, values);
    half.arrange(centroids, 60);
    half.set(0, values); // given up, to be begun again
    half.arrange(centroids, 60);
    half.free();
  });

  it("refuse other dimensions and shares", () => {
    const refused = expect.objectContaining({ code: "invalid-argument" });
    for (const kernel of [plain, wasm]) {
      const matrix = kernel.createMatrix(4, 32);
      expect(() => matrix.arrange(drawn(new Random(1), 16), 10)).toThrow(refused);
      const centroids = drawn(new Random(1), 32);
      for (const share of [0, 2, Number.NaN]) {
        expect(() => kernel.scanTopK([{ matrix, firstRow: 0 }], new Int16Array(32), 1, { centroids, share })).toThrow(
          refused,
        );
      }
    }
  });
});

describe("bits of ranges", () => {
  it("are those of the rows", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 12 }), (cuts) => {
        const ranges = Uint32Array.from(cuts.sort((a, b) => a - b).slice(0, cuts.length & ~1));
        const bits = new Uint8Array(26).fill(77);
        setBits(bits, ranges);
        for (let row = 0; row < 208; row++) {
          let expected = 0;
          for (let r = 0; r < ranges.length; r += 2) if (row >= ranges[r]! && row < ranges[r + 1]!) expected = 1;
          expect((bits[row >> 3]! >> (row & 7)) & 1).toBe(expected);
        }
      }),
    );
  });
});
