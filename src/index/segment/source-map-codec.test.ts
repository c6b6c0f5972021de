import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceSegment } from "../../types.js";
import { ByteReader } from "../format/bytes.js";
import { packSegments, unpackSegments } from "./source-map-codec.js";

const segment = fc.record(
  {
    start: fc.nat(5000),
    line: fc.nat(),
    linear: fc.boolean(),
    page: fc.nat(3000),
    byte: fc.maxSafeNat().map((n) => Math.floor(n / 4)),
    path: fc.string({ unit: "grapheme", maxLength: 20 }),
  },
  { requiredKeys: ["start"] },
);

describe("source map", () => {
  it("round-trips, and absent fields stay absent", () => {
    fc.assert(
      fc.property(fc.array(segment), (steps) => {
        let start = 0;
        const segments: SourceSegment[] = steps.map((step) => {
          start += step.start;
          return { ...step, start };
        });
        const packed = packSegments(segments).slice();
        expect(unpackSegments(new ByteReader(packed, "test"), segments.length)).toEqual(segments);
      }),
    );
  });

  it("takes a few bytes per segment for 100,000 segments", () => {
    const segments = Array.from({ length: 100_000 }, (_, i) => ({
      start: i * 80,
      line: i + 1,
      linear: true,
      path: `html/body/div[2]/p[${i}]`,
    }));
    expect(packSegments(segments).length / segments.length).toBeLessThan(10);
  });

  it("is refused when it is damaged", () => {
    const packed = packSegments([{ start: 5, path: "a/b" }]).slice();
    for (let length = 0; length < packed.length; length++) {
      expect(() => unpackSegments(new ByteReader(packed.subarray(0, length), "test"), 1)).toThrow(/damaged/);
    }
    expect(() => unpackSegments(new ByteReader(packed, "test"), 1000)).toThrow(/damaged/);
  });
});
