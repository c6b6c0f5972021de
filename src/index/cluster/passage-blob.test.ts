import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { emptyRows } from "../../encode/lexical.js";
import { fullPrecision } from "../../encode/precision.js";
import { decodePassageBlob, encodePassageBlob, passageGrams, type WholePassage } from "./passage-blob.js";

const coding = { dimensions: madeUpModel, precision: fullPrecision(madeUpModel) };

const passages: WholePassage[] = makePrepared({ seed: 4, documents: 12 }).flatMap(({ document, passages }, order) =>
  passages.map(({ start, end, encoded }, number) => ({
    order,
    number,
    alone: passages.length === 1,
    start,
    end,
    encoded,
    grams: passageGrams(document.text.slice(start, end)),
  })),
);

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, item) => (ArrayBuffer.isView(item) ? [...(item as unknown as number[])] : item)),
  );

describe("a passage in one range of bytes", () => {
  it("comes back number by number", () => {
    expect(passages.length).toBeGreaterThan(12);
    for (const passage of passages) {
      const { precision, ...back } = decodePassageBlob(encodePassageBlob(passage, coding), madeUpModel, "here");
      expect(plain(back)).toEqual(plain(passage));
      expect(plain(precision)).toEqual(plain(coding.precision));
    }
  });

  it("is refused when any bit of it is another", () => {
    const bytes = encodePassageBlob(passages[0]!, coding);
    for (let at = 0; at < bytes.length; at += 7) {
      const torn = Uint8Array.from(bytes);
      torn[at]! ^= 1 << (at % 8);
      expect(() => decodePassageBlob(torn, madeUpModel, "here")).toThrow(
        expect.objectContaining({ code: "corrupt-segment" }),
      );
    }
    for (const length of [0, 3, 4, bytes.length - 1])
      expect(() => decodePassageBlob(bytes.subarray(0, length), madeUpModel, "here")).toThrow(/damaged/);
  });

  it("is refused with a step that no model has, also with a valid checksum", () => {
    for (const step of [0, 65, 254]) {
      const precision = { ...coding.precision, start: coding.precision.start.map((own, g) => (g === 0 ? step : own)) };
      const packed = encodePassageBlob(
        { ...passages[0]!, encoded: { ...passages[0]!.encoded, ...emptyRows() } },
        { ...coding, precision },
      );
      expect(() => decodePassageBlob(packed, madeUpModel, "here")).toThrow(/a step that is out of range/);
    }
  });
});
