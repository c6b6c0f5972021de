import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../vectors/random.js";
import { TOTALS_BLOCK } from "./bounds.js";
import type { Kernel } from "./kernel.js";
import { createKernel } from "./kernel.js";
import { PlainKernel } from "./plain-kernel.js";
import { createSharedRows, setSharedRows } from "./shared-rows.js";
import { openWasmKernel } from "./wasm-kernel.js";

const plain = new PlainKernel();
const wasm = openWasmKernel() as Kernel;

/** Random int8; a small range makes ties. */
function bytes(random: Random, length: number, range = 127): Int8Array {
  return Int8Array.from({ length }, () => random.int(2 * range + 1) - range);
}

function queryOf(random: Random, length: number, maximum = 32767): Int16Array {
  return Int16Array.from({ length }, () => random.int(2 * maximum + 1) - maximum);
}

describe("the two kernels", () => {
  it("prefer the SIMD kernel on this machine", () => {
    expect(createKernel().name).toBe("wasm-simd");
  });

  it("are built from the committed source", () => {
    const script = fileURLToPath(new URL("../../scripts/build-kernel.mjs", import.meta.url));
    execFileSync(process.execPath, [script, "--check"]);
  }); // the compiler takes 5 s of a free core

  it("give the same dots and pair dots", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          rows: fc.integer({ min: 0, max: 40 }),
          columns: fc.integer({ min: 0, max: 40 }),
          blocks: fc.integer({ min: 1, max: 4 }),
        }),
        ({ seed, rows, columns, blocks }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const a = bytes(random, rows * dim);
          const b = bytes(random, columns * dim);
          const query = queryOf(random, dim, 2047);
          const from = Uint32Array.from({ length: rows }, () => random.int(columns + 1));
          const to = Uint32Array.from({ length: rows }, () => random.int(columns + 1));
          const results = [plain, wasm].map((kernel) => {
            const out = new Int32Array(rows * columns);
            const dots = new Int32Array(rows);
            kernel.dots(a, query, dots);
            const matrix = kernel.createMatrix(rows, dim);
            matrix.set(0, a);
            const all = new Int32Array(rows);
            kernel.matrixDots(matrix, query, all);
            expect(all).toEqual(dots);
            expect(Array.from(dots, (_, row) => kernel.rowDot(matrix, row, query))).toEqual([...dots]);
            matrix.free();
            return { count: kernel.pairDots(a, b, { query, from, to, out }), out, dots };
          });
          expect(results[1]).toEqual(results[0]);
          let n = 0;
          for (let i = 0; i < rows; i++) {
            for (let j = from[i]!; j < to[i]!; j++) {
              let sum = 0;
              for (let d = 0; d < dim; d++) sum += query[d]! * a[i * dim + d]! * b[j * dim + d]!;
              expect(results[0]!.out[n++]).toBe(sum);
            }
          }
          expect(results[0]!.count).toBe(n);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("add the same upper bounds of dots, and replace those above a limit by the dots", () => {
    fc.assert(
      fc.property(
        fc.record({ seed: fc.nat(), rows: fc.integer({ min: 0, max: 300 }), blocks: fc.integer({ min: 1, max: 12 }) }),
        ({ seed, rows, blocks }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const values = bytes(random, rows * dim);
          const query = queryOf(random, dim, 2047);
          const to = { firstPassage: 2, perStep: 1 / 3 };
          const [expected, found] = [plain, wasm].map((kernel) => {
            const matrix = kernel.createMatrix(rows, dim);
            matrix.set(0, values);
            const sums = kernel.createPassageSums(new Uint32Array(rows + 3), 1);
            sums.addBounds(matrix, query, to);
            const totals = sums.totals();
            const bounds = Float32Array.from(totals.sums);
            const limit = Float32Array.from(bounds).sort()[Math.floor(rows / 2)]!;
            sums.refineAbove(limit, matrix, query, to);
            const refined = Float32Array.from(totals.sums);
            const largest = Float32Array.from(totals.largest);
            sums.free();
            const dots = Array.from({ length: rows }, (_, row) => kernel.rowDot(matrix, row, query));
            matrix.free();
            return { bounds, limit, refined, largest, dots };
          });
          expect(found).toEqual(expected);
          const { bounds, limit, refined, largest, dots } = expected!;
          const rounding = 1e-6 * dim * 127 * 2047;
          for (const [passage, bound] of bounds.entries()) {
            const dot = (dots[passage - 2] ?? 0) / 3;
            expect(bound).toBeGreaterThan(dot - rounding);
            if (dim <= 96) expect(Math.abs(bound - dot)).toBeLessThan(rounding);
            if (bound > limit) expect(Math.abs(refined[passage]! - dot)).toBeLessThan(rounding);
            else expect(refined[passage]).toBe(bound);
          }
          for (const [block, most] of largest.entries())
            expect(most).toBe(Math.max(...refined.subarray(block * TOTALS_BLOCK, (block + 1) * TOTALS_BLOCK)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("do not overflow at the limits of the quantiser", () => {
    for (const kernel of [plain, wasm]) {
      const out = new Int32Array(1);
      kernel.dots(new Int8Array(512).fill(-128), new Int16Array(512).fill(32767), out);
      expect(out[0]).toBe(-512 * 128 * 32767);
      const pairs = { query: new Int16Array(64).fill(-2047), from: Uint32Array.of(0), to: Uint32Array.of(1), out };
      kernel.pairDots(new Int8Array(64).fill(-128), new Int8Array(64).fill(-128), pairs);
      expect(out[0]).toBe(-64 * 16384 * 2047);
    }
  });

  it("accumulate the same sums from question to question while matrices are created and freed", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          documents: fc.integer({ min: 1, max: 40 }),
          passages: fc.integer({ min: 0, max: 300 }),
          lists: fc.integer({ min: 0, max: 8 }),
        }),
        ({ seed, documents, passages, lists }) => {
          const random = new Random(seed);
          const floats = (length: number) => Float32Array.from({ length }, () => (1 + random.int(1000)) / 77);
          const owners = Uint32Array.from({ length: passages }, () => random.int(documents)).sort();
          const norms = [floats(passages), floats(documents)] as const;
          const made = [plain, wasm].map((kernel) => ({ kernel, sums: kernel.createPassageSums(owners, documents) }));
          for (const { sums } of made) sums.setNorms(...norms);
          for (let question = 0; question < 2; question++) {
            const postings = Array.from({ length: lists }, () => {
              const to = (["terms", "passages", "documents"] as const)[random.int(3)]!;
              const most = to === "documents" ? documents : passages;
              const units = Uint32Array.from({ length: most }, (_, unit) => unit).filter(() => random.int(3) === 0);
              const values = Uint8Array.from(units, () => random.int(256));
              return { to, list: { units, values }, shares: floats(256) };
            });
            const [expected, found] = made.map(({ kernel, sums }) => {
              sums.clear();
              for (const { to, list, shares } of postings) sums.add(to, list, shares);
              kernel.createMatrix(random.int(200), 32).free();
              const { sums: all, largest } = sums.totals();
              return { all: [...all], largest: [...largest] };
            });
            expect(found).toEqual(expected);
            for (const [block, most] of expected!.largest.entries())
              expect(most).toBe(Math.max(...expected!.all.slice(block * TOTALS_BLOCK, (block + 1) * TOTALS_BLOCK)));
          }
          for (const { sums } of made) sums.free();
        },
      ),
      { numRuns: 100 },
    );
  });

  it("reject the same invalid shapes", () => {
    for (const kernel of [plain, wasm]) {
      const matrix = kernel.createMatrix(4, 32);
      const wrong = { code: "invalid-argument" };
      expect(() => kernel.createMatrix(4, 20)).toThrow(expect.objectContaining(wrong));
      expect(() => matrix.set(3, new Int8Array(64))).toThrow(expect.objectContaining(wrong));
      expect(() => matrix.set(0, new Int8Array(33))).toThrow(expect.objectContaining(wrong));
      expect(() => kernel.matrixDots(matrix, new Int16Array(16), new Int32Array(4))).toThrow(
        expect.objectContaining(wrong),
      );
      expect(() => kernel.matrixDots(matrix, new Int16Array(32), new Int32Array(3))).toThrow(
        expect.objectContaining(wrong),
      );
      for (const row of [-1, 4, 0.5]) {
        expect(() => kernel.rowDot(matrix, row, new Int16Array(32))).toThrow(expect.objectContaining(wrong));
      }
      const sums = kernel.createPassageSums(new Uint32Array(5), 1);
      for (const [firstPassage, dim] of [[2, 32] as const, [-1, 32] as const, [0, 16] as const]) {
        const to = { firstPassage, perStep: 1 };
        expect(() => sums.addBounds(matrix, new Int16Array(dim), to)).toThrow(expect.objectContaining(wrong));
      }
      const negative = { firstPassage: 0, perStep: -1 };
      expect(() => sums.addBounds(matrix, new Int16Array(32), negative)).toThrow(expect.objectContaining(wrong));
      expect(() => sums.refineAbove(0, matrix, new Int16Array(16), { firstPassage: 0, perStep: 1 })).toThrow(
        expect.objectContaining(wrong),
      );
      expect(() => kernel.dots(new Int8Array(31), new Int16Array(32), new Int32Array(1))).toThrow(
        expect.objectContaining(wrong),
      );
    }
    const [query, room] = [new Int16Array(16), new Int32Array(1)];
    expect(() => wasm.matrixDots(plain.createMatrix(1, 16), query, room)).toThrow(/another kernel/);
    expect(() => plain.matrixDots(wasm.createMatrix(1, 16), query, room)).toThrow(/another kernel/);
  });

  it("scan rows that threads share as they scan rows of their own", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          rows: fc.integer({ min: 0, max: 20_000 }), // a thread's page has room for some 16,000 inner products
          blocks: fc.constantFrom(1, 4, 12),
        }),
        ({ seed, rows, blocks }) => {
          const random = new Random(seed);
          const dim = 16 * blocks;
          const values = bytes(random, rows * dim);
          const query = queryOf(random, dim, 2047);
          const shared = createSharedRows(rows, dim)!;
          const half = Math.floor(rows / 2);
          setSharedRows(shared, half, values.subarray(half * dim));
          const opened = [wasm.openShared(shared)!, wasm.openShared(shared)!];
          setSharedRows(shared, 0, values.subarray(0, half * dim));
          const own = wasm.createMatrix(rows, dim);
          own.set(0, values);
          const [expected, ...found] = [own, ...opened].map((matrix) => {
            const dots = new Int32Array(rows);
            wasm.matrixDots(matrix, query, dots);
            const sums = wasm.createPassageSums(new Uint32Array(rows + 3), 1);
            const to = { firstPassage: 2, perStep: 1 / 3 };
            sums.addBounds(matrix, query, to);
            const totals = sums.totals();
            const bounds = Float32Array.from(totals.sums);
            sums.refineAbove(bounds[Math.floor(rows / 2)]!, matrix, query, to);
            const [refined, largest] = [Float32Array.from(totals.sums), Float32Array.from(totals.largest)];
            sums.free();
            const some = Array.from({ length: Math.min(rows, 5) }, () => random.int(rows));
            expect(some.map((row) => wasm.rowDot(matrix, row, query))).toEqual(some.map((row) => dots[row]));
            matrix.free();
            return { dots, bounds, refined, largest };
          });
          for (const each of found) expect(each).toEqual(expected);
        },
      ),
      { numRuns: 10 },
    );
  });

  it("share no rows without pages, and use none after they were freed", () => {
    expect(createSharedRows(1, 65_536)).toBeUndefined(); // a page has no room for the query
    expect(() => createSharedRows(1, 20)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    const shared = createSharedRows(2, 16)!;
    expect(() => setSharedRows(shared, 1, new Int8Array(32))).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
    const opened = wasm.openShared(shared)!;
    opened.free();
    expect(() => wasm.rowDot(opened, 0, new Int16Array(16))).toThrow(expect.objectContaining({ code: "internal" }));
    expect(plain.openShared()).toBeUndefined();
    shared.memory.grow(1023); // all pages that threads may add
    expect(wasm.openShared(shared)).toBeUndefined();
  });

  it("keep many matrices separate while they are created, freed and resized", () => {
    const random = new Random(5);
    const alive: Array<{ matrix: ReturnType<Kernel["createMatrix"]>; values: Int8Array }> = [];
    const query = queryOf(random, 32);
    for (let step = 0; step < 120; step++) {
      if (alive.length > 8 || (alive.length > 0 && random.int(3) === 0)) {
        alive.splice(random.int(alive.length), 1)[0]!.matrix.free();
      }
      const rows = random.int(2000);
      const values = bytes(random, rows * 32);
      const matrix = wasm.createMatrix(rows, 32);
      const half = Math.floor(rows / 2);
      matrix.set(half, values.subarray(half * 32));
      matrix.set(0, values.subarray(0, half * 32));
      alive.push({ matrix, values });
      const one = alive[random.int(alive.length)]!;
      const dots = new Int32Array(one.matrix.rows);
      wasm.matrixDots(one.matrix, query, dots);
      const expected = new Int32Array(one.matrix.rows);
      plain.dots(one.values, query, expected);
      expect(dots).toEqual(expected);
    }
  });

  it("start matrices at zero, even in reused memory", () => {
    const first = wasm.createMatrix(100, 16);
    first.set(0, new Int8Array(1600).fill(7));
    first.free();
    const second = wasm.createMatrix(100, 16);
    const dots = new Int32Array(100);
    wasm.matrixDots(second, new Int16Array(16).fill(1), dots);
    expect([...dots].every((dot) => dot === 0)).toBe(true);
  });
});
