import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceMap } from "../types.js";
import { placeOf } from "./place.js";

const counter = (text: string) => (from: number, to: number) => text.slice(from, to).split("\n").length - 1;

describe("placeOf", () => {
  it("counts the lines of plain text (property)", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\r") }), { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.nat(), (parts, seed) => {
        const text = parts.join("\n");
        const offset = seed % (text.length + 1);
        const map: SourceMap = { kind: "text", segments: [{ start: 0, line: 1, linear: true, byte: 0 }] };
        let line = 1;
        for (let i = 0; i < offset; i++) if (text[i] === "\n") line++;
        expect(placeOf(map, offset, counter(text))).toEqual({ line });
      }),
    );
  });

  it("finds the same segment as a scan from the front (property)", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.nat(1200), (starts, offset) => {
        const sorted = [0, ...starts.filter((start) => start > 0).sort((a, b) => a - b)];
        const map: SourceMap = { kind: "pdf", segments: sorted.map((start, i) => ({ start, page: i + 1 })) };
        const page = sorted.filter((start) => start <= offset).length;
        expect(placeOf(map, offset, () => 0)).toEqual({ page });
      }),
    );
  });

  it("does not count line breaks in a non-linear segment, and reads only the range inside its segment", () => {
    const map: SourceMap = {
      kind: "markdown",
      segments: [
        { start: 0, line: 3 },
        { start: 10, line: 20, linear: true, path: "code" },
      ],
    };
    expect(placeOf(map, 9, () => 5)).toEqual({ line: 3 });
    const asked: [number, number][] = [];
    const place = placeOf(map, 14, (from, to) => {
      asked.push([from, to]);
      return 2;
    });
    expect(place).toEqual({ line: 22, path: "code" });
    expect(asked).toEqual([[10, 14]]);
  });

  it("returns {} without segments, and treats an offset before the first segment as its start", () => {
    expect(placeOf({ kind: "text", segments: [] }, 5, () => 0)).toEqual({});
    expect(placeOf({ kind: "pdf", segments: [{ start: 0, page: 1 }] }, -1, () => 0)).toEqual({ page: 1 });
  });
});
