import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "./crc32c.js";

const ascii = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** The definition, bit by bit. */
function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

describe("crc32c", () => {
  it("gives the published vectors (RFC 3720 B.4)", () => {
    expect(crc32c(ascii("123456789"))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it("equals its definition, wherever the bytes begin in memory, and may be cut anywhere", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(600), fc.nat(7), (all, cut, offset) => {
        const bytes = all.subarray(Math.min(offset, all.length)); // a view, not on a word's boundary
        const middle = Math.min(cut, bytes.length);
        expect(crc32c(bytes)).toBe(slowCrc32c(bytes));
        expect(crc32c(bytes, 0, middle)).toBe(slowCrc32c(bytes.subarray(0, middle)));
        expect(crc32c(bytes, middle, bytes.length, crc32c(bytes, 0, middle))).toBe(crc32c(bytes));
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it("distinguishes every single bit, at every place of a word and of a step of four", () => {
    for (const length of [63, 64, 65, 96, 131]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 37);
      const seen = new Set([crc32c(bytes)]);
      for (let bit = 0; bit < length * 8; bit++) {
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        seen.add(crc32c(bytes));
        bytes[bit >> 3]! ^= 1 << (bit & 7);
      }
      expect(seen.size).toBe(length * 8 + 1);
    }
  });
});
