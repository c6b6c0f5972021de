import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NgramRows } from "../../encode/types.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import { packNgramList, unpackNgramList, unpackNgramsPlainly } from "./ngram-lists.js";

const readerOf = (bytes: Uint8Array): ByteReader => new ByteReader(bytes, "test");

function packed(list: NgramRows, shape: { tokens: number; step: number }): Uint8Array {
  const out = new ByteWriter();
  packNgramList(out, list, shape);
  return out.bytes().slice();
}

function listOf(rows: ReadonlyArray<ReadonlyArray<readonly [position: number, weight: number]>>): NgramRows {
  const all = rows.flat();
  const offsets = new Uint32Array(rows.length + 1);
  for (const [r, row] of rows.entries()) offsets[r + 1] = offsets[r]! + row.length;
  return {
    offsets,
    positions: Uint8Array.from(all, ([position]) => position),
    weights: Uint8Array.from(all, ([, weight]) => weight),
  };
}

/** Lists whose weights are multiples of the step, as an encoder gives them. */
const anyList = fc
  .record({ tokens: fc.integer({ min: 1, max: 256 }), step: fc.integer({ min: 1, max: 64 }) })
  .chain(({ tokens, step }) => {
    const entry = fc.tuple(
      fc.integer({ min: 0, max: tokens - 1 }),
      fc.integer({ min: 1, max: Math.round(255 / step) }).map((number) => Math.min(255, number * step)),
    );
    const row = fc
      .uniqueArray(entry, { selector: ([position]) => position, maxLength: 30 })
      .map((all) => all.sort((a, b) => a[0] - b[0]));
    return fc.record({
      tokens: fc.constant(tokens),
      step: fc.constant(step),
      rows: fc.array(row, { maxLength: Math.min(tokens, 60) }),
    });
  });

describe("a list of n-gram weights", () => {
  it("comes back as it was, and gives the same bytes when it is written again", () => {
    fc.assert(
      fc.property(anyList, ({ tokens, step, rows }) => {
        const list = listOf(rows);
        const bytes = packed(list, { tokens, step });
        const reader = readerOf(bytes);
        const read = unpackNgramList(reader, rows.length, { tokens, step });
        expect(read).toEqual(list);
        expect(reader.left).toBe(0);
        expect(packed(read, { tokens, step })).toEqual(bytes);
        if (bytes[0] === 0) return;
        const plain = readerOf(bytes.subarray(1));
        expect(unpackNgramsPlainly(plain, { tokens, step, rows: rows.length, width: bytes[0]! })).toEqual(list);
        expect(plain.left).toBe(0);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it("takes one byte if it has no entries", () => {
    expect(packed(listOf([[], []]), { tokens: 9, step: 1 })).toEqual(Uint8Array.of(0));
    const read = unpackNgramList(readerOf(Uint8Array.of(0)), 2, { tokens: 9, step: 1 });
    expect(read).toEqual(listOf([[], []]));
  });

  it("is read or reported, whatever its bytes are", () => {
    const any = fc.record({
      bytes: fc.uint8Array({ minLength: 1, maxLength: 400 }),
      rows: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 300 })),
      tokens: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 300 })),
    });
    let [read, reported] = [0, 0];
    fc.assert(
      fc.property(any, ({ bytes, rows, tokens }) => {
        try {
          const list = unpackNgramList(readerOf(bytes), rows, { tokens, step: 1 });
          expect(list.offsets.at(-1)).toBe(list.positions.length);
          expect(list.positions.every((position) => position < tokens)).toBe(true);
          const shape = { tokens, step: 1, rows, width: bytes[0]! };
          if (bytes[0] !== 0) expect(unpackNgramsPlainly(readerOf(bytes.subarray(1)), shape)).toEqual(list);
          read++;
        } catch (error) {
          expect(error).toMatchObject({ code: "corrupt-segment" });
          reported++;
        }
      }),
      { seed: 9, numRuns: 2000 },
    );
    expect(Math.min(read, reported)).toBeGreaterThan(20);
  });

  it("is reported if it is truncated", () => {
    const shape = { tokens: 40, step: 1 };
    const bytes = packed(
      listOf([
        [
          [3, 9],
          [30, 2],
        ],
        [[3, 8]],
        [[39, 1]],
      ]),
      shape,
    );
    for (let length = 0; length < bytes.length; length++) {
      const read = () => unpackNgramList(readerOf(bytes.subarray(0, length)), 3, shape);
      expect(read).toThrow(expect.objectContaining({ code: "corrupt-segment" }));
    }
  });
});
