/** Packed files of a published site: what comes out is what went in, and damage is reported. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../../src/index/format/bytes.js";
import { packBytes, shardOf, unpackBytes } from "../../src/publish/blob.js";
import { decodeStart, encodeStart, type Start } from "../../src/publish/start.js";
import { packVocabulary, unpackVocabulary, vocabularyOrder } from "../../src/publish/vocabulary.js";
import { parseVocabulary } from "../../src/text/wordpiece/tokenizer.js";
import { projectRoot } from "../cli/run-cli.js";

/** No lone surrogates: UTF-8 has none. */
const token = fc.string({ unit: "binary" }).filter((text) => !text.includes("\n"));

describe("the vocabulary", () => {
  it("comes back as it was, in order, whatever the tokens", () => {
    const tokens = fc.uniqueArray(token, { maxLength: 60 });
    fc.assert(
      fc.property(tokens, (list) => {
        const sorted = vocabularyOrder(list).map((id) => list[id]!);
        expect(unpackVocabulary(new ByteReader(packVocabulary(sorted), "test"))).toEqual(sorted);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it("of the shipped model takes under 60 kB, without a token that a text can give missing", () => {
    const all = parseVocabulary(readFileSync(join(projectRoot, "models", "verbatim-en", "vocab.txt"), "utf8"));
    const sorted = vocabularyOrder(all).map((id) => all[id]!);
    const packed = packVocabulary(sorted);
    expect(packed.length).toBeLessThan(60_000);
    expect(unpackVocabulary(new ByteReader(packed, "test"))).toEqual(sorted);
    const kept = new Set(sorted);
    expect(all.filter((entry) => !kept.has(entry) && !entry.startsWith("[unused"))).toEqual([]);
  });
});

const head = { documents: 3, passages: 4, maxQuestionTokens: 64, termsWeight: 5.2, termScale: 307.2 };
const start: Start = {
  head,
  vocabulary: ["##s", "[CLS]", "a", "ab", "abc"],
  terms: { firsts: [0, 3], names: ["0011223344556677", "8899aabbccddeeff"] },
  texts: { firsts: [0], names: ["ffffffffffffffff"] },
};

describe("the start file", () => {
  it("comes back as it was", () => {
    expect(decodeStart(encodeStart(start), "test")).toEqual(start);
  });

  it("cut anywhere is an error of ours, never an endless loop or a crash", () => {
    const bytes = encodeStart(start);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeStart(bytes.subarray(0, length), "test")).toThrow(
        expect.objectContaining({ code: "corrupt-segment" }),
      );
    }
  });
});

it("packs bytes and gives them back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      expect(unpackBytes(packBytes(bytes), "test")).toEqual(bytes);
    }),
    { seed: 4 },
  );
});

it("finds the shard of a number", () => {
  const table = { firsts: [2, 5, 5, 9], names: ["a", "b", "c", "d"] };
  expect([0, 2, 4, 5, 8, 9, 100].map((number) => shardOf(table, number))).toEqual([-1, 0, 0, 2, 2, 3, 3]);
});
