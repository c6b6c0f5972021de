import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DROPPED, GROUP, groupsOf, roundToStep } from "../../encode/precision.js";
import { Random } from "../../vectors/random.js";
import { ByteReader, ByteWriter } from "./bytes.js";
import { packRows, skipRows, unpackRows, unpackRowsPlainly } from "./packing.js";

const step = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.constant(1), fc.constant(DROPPED));
const rows = fc
  .record({
    dim: fc.integer({ min: 1, max: 70 }),
    count: fc.integer({ min: 0, max: 5 }),
    most: fc.integer({ min: 0, max: 128 }),
  })
  .chain(({ dim, count, most }) =>
    fc.record({
      dim: fc.constant(dim),
      steps: fc
        .array(step, { minLength: groupsOf(dim), maxLength: groupsOf(dim) })
        .map((steps) => Uint8Array.from(steps)),
      values: fc
        .array(fc.integer({ min: -most, max: Math.min(127, most) }), { minLength: dim * count, maxLength: dim * count })
        .map((values) => Int8Array.from(values)),
    }),
  );

function packed(values: Int8Array, shape: { dim: number; steps: Uint8Array }): Uint8Array {
  const out = new ByteWriter();
  packRows(out, values, shape);
  return out.bytes().slice();
}

describe("packed rows", () => {
  it("give back the nearest multiple of every number's step, and leave the reader behind the last row", () => {
    fc.assert(
      fc.property(rows, fc.uint8Array({ maxLength: 9 }), ({ dim, steps, values }, behind) => {
        const bytes = packed(values, { dim, steps });
        const reader = new ByteReader(Uint8Array.from([...bytes, ...behind]), "test");
        const read = unpackRows(reader, values.length / dim, { dim, steps });
        expect(reader.left).toBe(behind.length);
        for (const [i, value] of values.entries()) {
          const s = steps[Math.floor((i % dim) / GROUP)]!;
          expect(read[i]).toBe(roundToStep(value, s));
          if (s === DROPPED) expect(read[i]).toBe(0);
          else if (s === 1) expect(read[i]).toBe(value);
          else expect(Math.abs(read[i]! - Math.max(-127, value))).toBeLessThanOrEqual(s / 2);
        }
        for (const first of [0, 1, Math.floor(dim / 2), dim]) {
          const part = new ByteReader(Uint8Array.from([...bytes, ...behind]), "test");
          const some = unpackRows(part, values.length / dim, { dim, steps, first });
          expect([...some]).toEqual([...read].filter((_, i) => i % dim < first));
          expect(part.left).toBe(behind.length);
        }
        const passed = new ByteReader(Uint8Array.from([...bytes, ...behind]), "test");
        skipRows(passed, values.length / dim, { dim, steps });
        expect(passed.left).toBe(behind.length);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it("are read by the kernel as in TypeScript: the same rows, the same place, the same damage", () => {
    const shapes = fc.record({ groups: fc.integer({ min: 1, max: 64 }), count: fc.integer({ min: 0, max: 40 }) });
    const bytes = shapes.chain(({ groups, count }) =>
      fc.record({
        count: fc.constant(count),
        first: fc.integer({ min: 0, max: groups }),
        steps: fc.array(step, { minLength: groups, maxLength: groups }).map((steps) => Uint8Array.from(steps)),
        seed: fc.integer(),
        most: fc.constantFrom(0, 1, 3, 7, 40, 128),
        cut: fc.integer({ min: -3, max: 40 }),
        flipped: fc.option(fc.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) })),
      }),
    );
    let damaged = 0;
    fc.assert(
      fc.property(bytes, ({ count, first, steps, seed, most, cut, flipped }) => {
        const dim = steps.length * GROUP;
        const random = new Random(seed >>> 0);
        const values = Int8Array.from({ length: dim * count }, () => random.int(2 * most + 1) - most);
        const whole = packed(values, { dim, steps });
        if (flipped !== null && whole.length > 0) whole[flipped.at % whole.length]! ^= 1 << flipped.bit;
        const given = cut < 0 ? whole.subarray(0, cut) : Uint8Array.from([...whole, ...new Uint8Array(cut).fill(0x5a)]);
        const outcome = (read: typeof unpackRows) => {
          const reader = new ByteReader(given, "test");
          try {
            return { rows: read(reader, count, { dim, steps, first: first * GROUP }), left: reader.left };
          } catch (error) {
            damaged++;
            return { code: (error as { code: string }).code };
          }
        };
        expect(outcome(unpackRows)).toEqual(outcome(unpackRowsPlainly));
      }),
      { seed: 4, numRuns: 300 },
    );
    expect(damaged).toBeGreaterThan(50);
  });

  it("lose nothing the second time, and give the same bytes", () => {
    fc.assert(
      fc.property(rows, ({ dim, steps, values }) => {
        const bytes = packed(values, { dim, steps });
        const read = unpackRows(new ByteReader(bytes, "test"), values.length / dim, { dim, steps });
        expect(packed(read, { dim, steps })).toEqual(bytes);
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  it("take the bits that the largest number of a group needs: by hand", () => {
    const steps = Uint8Array.of(1, 1, DROPPED);
    const row = new Int8Array(48);
    row[0] = 3; // −4 … 3: 3 bits, 16 of them are 6 bytes
    row[17] = -1; // −1 … 0: 1 bit, 2 bytes
    row[40] = 99; // dropped
    expect(packed(row, { dim: 48, steps })).toHaveLength(1 + 6 + 2);
    expect(packed(new Int8Array(48), { dim: 48, steps })).toEqual(Uint8Array.of(0));
  });

  it("that are truncated or too wide are refused", () => {
    const steps = Uint8Array.of(1);
    const bytes = packed(Int8Array.of(5, -5, 100), { dim: 3, steps });
    for (const first of [0, 2, 3]) {
      const read = (damaged: Uint8Array) => () =>
        unpackRows(new ByteReader(damaged, "test"), 1, { dim: 3, steps, first });
      const reported = expect.objectContaining({ code: "corrupt-segment" });
      expect(read(bytes)).not.toThrow();
      for (let length = 0; length < bytes.length; length++) expect(read(bytes.subarray(0, length))).toThrow(reported);
      expect(read(Uint8Array.of(9, ...new Uint8Array(20)))).toThrow(reported);
    }
    const wide = { dim: 48, steps: Uint8Array.of(1, DROPPED, 1) };
    const row = packed(
      Int8Array.from({ length: 48 }, (_, i) => i),
      wide,
    );
    const skip = (damaged: Uint8Array) => () => skipRows(new ByteReader(damaged, "test"), 1, wide);
    expect(skip(row)).not.toThrow();
    for (const damaged of [row.subarray(0, -1), row.subarray(0, 0), Uint8Array.of(0x90, ...new Uint8Array(60))])
      expect(skip(damaged)).toThrow(expect.objectContaining({ code: "corrupt-segment" }));
  });
});
