import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DROPPED, GROUP, groupsOf, roundToStep } from "../../encode/precision.js";
import { Random } from "../../vectors/random.js";
import { ByteReader, ByteWriter } from "./bytes.js";
import { packRows, unpackRows, unpackRowsPlainly } from "./packing.js";

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
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it("are read by the kernel as in TypeScript: the same rows, the same place, the same damage", () => {
    const shapes = fc.record({ groups: fc.integer({ min: 1, max: 64 }), count: fc.integer({ min: 0, max: 40 }) });
    const bytes = shapes.chain(({ groups, count }) =>
      fc.record({
        count: fc.constant(count),
        first: fc.integer({ min: 0, max: groups * GROUP }),
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
            return { rows: read(reader, count, { dim, steps, first }), left: reader.left };
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

  it("are Rice codes of each dimension: by hand", () => {
    const steps = Uint8Array.of(2, DROPPED);
    const dim = GROUP + 1;
    const rows = new Int8Array(2 * dim);
    rows.set([-8, 2], 0); // multiples −4 and 1: the numbers 7 and 2
    rows.set([10, 0], dim); // 5 and 0: 10 and 0
    rows[GROUP] = 99; // dropped
    // 3 bits with the number of low bits of each dimension: 2 for 7 and 10, 0 for 2 and 0 and the others;
    // the low bits of 7 and 10; then a one after 1 and 2 zeros, after 2 and 0 zeros, and 28 times alone
    const bits = `010${"000".repeat(15)}${"11"}${"01"}${"01"}${"001"}${"001"}${"1"}${"1".repeat(28)}`;
    const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
    const expected = padded.match(/.{8}/g)!.map((byte) => Number.parseInt([...byte].reverse().join(""), 2));
    expect([...packed(rows, { dim, steps })]).toEqual(expected);
    expect(packed(new Int8Array(0), { dim, steps })).toHaveLength(0);
    expect(packed(new Int8Array(dim), { dim, steps: Uint8Array.of(DROPPED, DROPPED) })).toHaveLength(0);
  });

  it("that are truncated, too many or out of range are refused", () => {
    const shape = { dim: 3, steps: Uint8Array.of(1) };
    const bytes = packed(Int8Array.of(5, -5, 100), shape);
    const reported = expect.objectContaining({ code: "corrupt-segment" });
    for (const read of [unpackRows, unpackRowsPlainly]) {
      for (const first of [0, 2, 3]) {
        const tried = (given: Uint8Array, count = 1) => read(new ByteReader(given, "test"), count, { ...shape, first });
        expect(() => tried(bytes)).not.toThrow();
        for (let length = 0; length < bytes.length; length++)
          expect(() => tried(bytes.subarray(0, length))).toThrow(reported);
        for (const count of [100, 257, 2 ** 31]) expect(() => tried(bytes, count)).toThrow(reported);
        const zeros = (length: number) => Uint8Array.from({ length: 64 }, (_, at) => (at < length ? 0 : 255));
        expect(() => tried(zeros(33))).not.toThrow(); // 9 bits of heads and 255 zeros: the largest number
        expect(() => tried(zeros(34))).toThrow(reported);
      }
    }
  });
});
