import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BitWriter, bitLength } from "./bits.js";
import { ByteWriter } from "./bytes.js";

/** Bits in their order, as 0 and 1. */
const bitsOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => [...byte.toString(2).padStart(8, "0")].reverse().join("")).join("");

function written(write: (bits: BitWriter) => void): Uint8Array {
  const out = new ByteWriter();
  const bits = new BitWriter(out);
  write(bits);
  bits.finish();
  return out.bytes();
}

describe("a stream of bits", () => {
  it("has each number from its lowest bit up, and zeros to the next whole byte", () => {
    const any = fc.array(
      fc
        .integer({ min: 0, max: 24 })
        .chain((width) => fc.record({ width: fc.constant(width), value: fc.integer({ min: 0, max: 2 ** width - 1 }) })),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(any, (numbers) => {
        const bytes = written((bits) => {
          for (const { value, width } of numbers) bits.write(value, width);
        });
        const expected = numbers
          .map(({ value, width }) =>
            width === 0 ? "" : [...value.toString(2).padStart(width, "0")].reverse().join(""),
          )
          .join("");
        expect(bytes.length).toBe(Math.ceil(expected.length / 8));
        expect(bitsOf(bytes)).toBe(expected.padEnd(8 * bytes.length, "0"));
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it("has a number in unary as zeros and a one, however large", () => {
    for (const count of [0, 1, 23, 24, 25, 255])
      expect(bitsOf(written((bits) => bits.unary(count))).replace(/0+$/, "")).toBe(`${"0".repeat(count)}1`);
  });

  it("needs no bits for 0, and one more at every power of two", () => {
    expect([0, 1, 2, 3, 4, 255, 256].map(bitLength)).toEqual([0, 1, 2, 2, 3, 8, 9]);
  });
});
