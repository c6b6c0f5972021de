import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePointLength, OffsetIndex, utf8Length } from "./offsets.js";

const piece = fc.constantFrom(
  "a",
  "é",
  "中",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  "\ude00",
  "\ud800",
  "\udfff",
  "\n",
  "\u0000",
  "\uffff",
  "xyz",
);
const anyText = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(""));
/** Spans several checkpoints; sometimes a surrogate pair crosses one. */
const longText = fc
  .tuple(anyText, fc.integer({ min: 4080, max: 4100 }), anyText, fc.integer({ min: 4000, max: 4200 }), anyText)
  .map(([a, n, b, m, c]) => `${a}${"x".repeat(n)}${b}${"😀é".repeat(m)}${c}`);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
/** The offset, or the start of the surrogate pair that contains it. */
const rounded = (text: string, offset: number): number =>
  /[\udc00-\udfff]/.test(text[offset] ?? "") && /[\ud800-\udbff]/.test(text[offset - 1] ?? "") ? offset - 1 : offset;

describe("utf8Length and codePointLength", () => {
  it("equal TextEncoder and the string iterator on any slice", () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), fc.nat(80), (text, from, to) => {
        expect(utf8Length(text, from, to)).toBe(bytesOf(text.slice(from, to)));
        expect(codePointLength(text, from, to)).toBe(Array.from(text.slice(from, to)).length);
      }),
      { numRuns: 2000, seed: 7 },
    );
    expect(utf8Length("a😀\ud800")).toBe(8);
    expect(codePointLength("a😀\ud800")).toBe(3);
  });
});

describe("OffsetIndex", () => {
  it("converts every offset of short texts in both directions", () => {
    fc.assert(
      fc.property(anyText, (text) =>
        expectEqual(
          text,
          Array.from({ length: text.length + 1 }, (_, n) => n),
        ),
      ),
      { numRuns: 500, seed: 8 },
    );
  });

  it("converts offsets of long texts, around checkpoints too", () => {
    const near = [0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 12287, 12288];
    fc.assert(
      fc.property(longText, fc.array(fc.nat(12_000), { maxLength: 5 }), (text, offsets) => {
        expectEqual(
          text,
          [...near, ...offsets, text.length].filter((offset) => offset <= text.length),
        );
      }),
      { numRuns: 60, seed: 9 },
    );
  });

  it("gives one start to a surrogate pair across a checkpoint", () => {
    const text = `${"x".repeat(4095)}😀y`;
    const index = new OffsetIndex(text);
    expect([4095, 4096, 4097].map((offset) => index.toCodePoint(offset))).toEqual([4095, 4095, 4096]);
    expect([4095, 4096].map((codePoint) => index.fromCodePoint(codePoint))).toEqual([4095, 4097]);
  });

  it("rejects offsets outside the text", () => {
    const index = new OffsetIndex("é😀");
    expect(index.codePointLength).toBe(2);
    for (const convert of [() => index.toCodePoint(4), () => index.toCodePoint(-1), () => index.fromCodePoint(3)]) {
      expect(convert).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
    expect(new OffsetIndex("").fromCodePoint(0)).toBe(0);
  });
});

function expectEqual(text: string, offsets: number[]): void {
  const index = new OffsetIndex(text);
  expect(index.codePointLength).toBe(Array.from(text).length);
  for (const offset of offsets) {
    const start = rounded(text, offset);
    const codePoint = Array.from(text.slice(0, start)).length;
    expect([index.toCodePoint(offset), index.fromCodePoint(codePoint)]).toEqual([codePoint, start]);
  }
}
