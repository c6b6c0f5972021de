import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawRows, listedMatrix } from "../../test/support/rows.js";
import type { Kernel, ScanPart } from "../kernel/kernel.js";
import { assignLists, assignListsPlainly } from "../kernel/list-assigner.js";
import { listsToProbe, setBits } from "../kernel/nprobe.js";
import { PlainKernel } from "../kernel/plain-kernel.js";
import { openWasmKernel } from "../kernel/wasm-kernel.js";
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
import { Random } from "./random.js";

const plain = new PlainKernel();
const wasm = openWasmKernel() as Kernel;

function bytes(random: Random, length: number, range = 127): Int8Array {
  return Int8Array.from({ length }, () => random.int(2 * range + 1) - range);
}

const drawn = (random: Random, dim: number): Centroids => centroidsOf(dim, bytes(random, (BRANCHES + LISTS) * dim));

describe("centroids", () => {
  it("survive encoding as text, and the same text gives the same object", () => {
    const centroids = drawn(new Random(3), 16);
    const text = centroidsText(centroids);
    expect(centroidsFrom(text, 16)).toEqual(centroids);
    expect(centroidsFrom(text, 16)).toBe(centroidsFrom(text, 16));
    expect(() => centroidsFrom(text, 32)).toThrow(expect.objectContaining({ code: "unsupported-format" }));
  });

  it("separate distinct clusters", () => {
    // 32 distant groups of 32 near clusters: every row should share a list with few other clusters.
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

  it("order lists by inner product with the query, ties by number", () => {
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

describe("the two kernels, with inverted lists", () => {
  it("find the same rows, with ties, filters, and matrices with and without lists", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          sizes: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 4 }),
          blocks: fc.integer({ min: 1, max: 3 }), // 2: the rows of 32 dimensions have a loop of their own
          k: fc.integer({ min: 1, max: 80 }),
          range: fc.constantFrom(0, 1, 127),
          share: fc.constantFrom(0.001, 0.1, 0.5, 1, undefined),
        }),
        ({ seed, sizes, blocks, k, range, share }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const centroids = drawn(random, dim);
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
              isListed: random.int(3) > 0,
            };
            firstRow += rows + random.int(3);
            return part;
          });
          const order = plain.probeOrder(centroids, query);
          expect(wasm.probeOrder(centroids, query)).toEqual(order);
          const [expected, found] = [plain, wasm].map((kernel) => {
            const whole: ScanPart[] = parts.map(({ rows, bits, stored, firstRow: first, ranges, isListed }) => {
              const matrix = isListed
                ? listedMatrix(kernel, stored, { dim, bits, centroids })
                : kernel.createMatrix(rows, dim, bits);
              if (!isListed) matrix.set(0, stored);
              return { matrix, firstRow: first, ...(ranges === undefined ? {} : { ranges }) };
            });
            const listed = whole.filter(({ matrix }) => matrix.firsts !== undefined);
            const lists = order.subarray(0, share === undefined ? undefined : listsToProbe(listed, order, share));
            const scanned = whole.map((part) => (part.matrix.firsts === undefined ? part : { ...part, lists }));
            const top = kernel.scanTopK(scanned, query, k);
            const exact = kernel.scanTopK(whole, query, k);
            for (const { matrix } of whole) matrix.free();
            return { top, exact };
          });
          expect(found).toEqual(expected);
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
          const right = new Map(all.map(({ row, score }) => [row, score]));
          for (const [n, row] of found!.top.rows.entries()) expect(found!.top.scores[n]).toBe(right.get(row));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("reject lists that were not set, unknown lists, and rows of the wrong size", () => {
    const refused = expect.objectContaining({ code: "invalid-argument" });
    const firsts = new Uint32Array(LISTS + 1).fill(3, 7); // all three rows are in list 6
    for (const kernel of [plain, wasm]) {
      const matrix = kernel.createListedMatrix(firsts, 32, 8);
      const scan = (part: Partial<ScanPart>) =>
        kernel.scanTopK([{ matrix, firstRow: 0, ...part }], new Int16Array(32).fill(1), 2);
      expect(() => scan({})).toThrow(refused);
      expect(() => scan({ lists: Uint16Array.of(3, 6) })).toThrow(refused);
      expect(scan({ lists: Uint16Array.of(3, 5) }).rows.length).toBe(0);
      const rows = new Uint8Array(96).fill(1);
      expect(() => matrix.setList(6, Uint32Array.of(0, 1), rows.subarray(32))).toThrow(refused);
      expect(() => matrix.setList(6, Uint32Array.of(0, 1, 3), rows)).toThrow(refused);
      expect(() => matrix.setList(6, Uint32Array.of(0, 1, 2), rows.subarray(1))).toThrow(refused);
      expect(() => matrix.setList(LISTS, new Uint32Array(0), new Uint8Array(0))).toThrow(refused);
      expect(() => matrix.set(0, rows)).toThrow(refused);
      matrix.setList(6, Uint32Array.of(0, 1, 2), rows);
      expect([...scan({}).rows]).toEqual([0, 1]);
      expect(() => kernel.createListedMatrix(firsts.subarray(1), 32, 8)).toThrow(refused);
      expect(() => kernel.createListedMatrix(Uint32Array.from(firsts).reverse(), 32, 8)).toThrow(refused);
      const inOrder = kernel.createMatrix(3, 32);
      expect(() => inOrder.setList(0, Uint32Array.of(0, 1, 2), rows)).toThrow(refused);
      expect(() => scan({ matrix: inOrder, lists: Uint16Array.of(0) })).toThrow(refused);
    }
  });
});

describe("assignLists", () => {
  it("gives the same lists in WASM and in TypeScript, for 8-bit and 4-bit rows", () => {
    fc.assert(
      fc.property(
        fc.record({ seed: fc.nat(), rows: fc.integer({ min: 0, max: 2500 }), blocks: fc.integer({ min: 1, max: 3 }) }),
        ({ seed, rows, blocks }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const centroids = drawn(random, dim);
          for (const bits of [4, 8] as const) {
            const { stored } = drawRows(random, rows, { dim, bits, range: 127 });
            expect(assignLists(centroids, bits, stored)).toEqual(assignListsPlainly(centroids, bits, stored));
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("listsToProbe", () => {
  it("is the smallest number that holds the share of the rows, and more under a selective filter", () => {
    const firsts = Uint32Array.from({ length: LISTS + 1 }, (_, n) => 2 * n);
    const order = Uint16Array.from({ length: LISTS }, (_, n) => (n * 5) % LISTS);
    const part = { matrix: plain.createListedMatrix(firsts, 16, 8), firstRow: 0 };
    expect(listsToProbe([part], order, 1 / 16)).toBe(LISTS / 16);
    expect(listsToProbe([part, { ...part, firstRow: 2 * LISTS }], order, 1 / 16)).toBe(LISTS / 16);
    expect(listsToProbe([{ ...part, ranges: Uint32Array.of(0, LISTS / 2) }], order, 1 / 16)).toBe(LISTS / 4);
    expect(listsToProbe([{ ...part, ranges: Uint32Array.of(0, 5) }], order, 1 / 16)).toBe(LISTS);
    expect(listsToProbe([{ ...part, ranges: new Uint32Array(0) }], order, 1 / 16)).toBe(0);
    expect(listsToProbe([], order, 0.5)).toBe(0);
  });
});

describe("setBits", () => {
  it("sets exactly the bits of the rows in the ranges", () => {
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
