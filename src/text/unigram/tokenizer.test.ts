import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OffsetIndex } from "../offsets.js";
import { parseUnigramVocabulary, type UnigramVocabulary } from "./file.js";
import { UnigramTokenizer } from "./tokenizer.js";

/**
 * A small part of the multilingual vocabulary, and strings with the tokens of the reference
 * (training/unigram_strings.py).
 */
const file = readFileSync(new URL("golden/vocab.unigram", import.meta.url));
const golden = JSON.parse(readFileSync(new URL("golden/strings.json", import.meta.url), "utf8")) as {
  text: string;
  ids: number[];
  starts: number[];
  ends: number[];
}[];
const vocabulary = parseUnigramVocabulary(file);
const tokenizer = new UnigramTokenizer(vocabulary);

const made = (pieces: Record<string, number>, rules: Record<string, string> = {}): UnigramTokenizer => {
  const names = ["<pad>", "<unk>", "<s>", "</s>", "<mask>", ...Object.keys(pieces)];
  const all: UnigramVocabulary = {
    pieces: names,
    costs: Uint16Array.from([0, 0, 0, 0, 0, ...Object.values(pieces)]),
    rules: new Map(Object.entries({ "\t": " ", "\u3000": " ", ...rules })),
  };
  return new UnigramTokenizer(all);
};
const pairs = (of: UnigramTokenizer, text: string): [string, string][] => {
  const { ids, starts, ends } = of.tokenize(text);
  return Array.from(ids, (id, t) => [of.tokenOf(id), text.slice(starts[t], ends[t])]);
};

describe("as the reference tokenizer", () => {
  it("finds the same tokens and offsets, on strings in fifteen scripts", () => {
    expect(golden.length).toBeGreaterThan(250);
    for (const { text, ids, starts, ends } of golden) {
      const tokens = tokenizer.tokenize(text);
      const offsets = new OffsetIndex(text);
      expect({ text, ids: Array.from(tokens.ids) }).toEqual({ text, ids });
      expect(Array.from(tokens.starts, (at) => offsets.toCodePoint(at))).toEqual(starts);
      expect(Array.from(tokens.ends, (at) => offsets.toCodePoint(at))).toEqual(ends);
    }
  });

  it("finds the first tokens alone, wherever it stops", () => {
    for (const { text, ids, ends } of golden.slice(0, 60)) {
      const whole = tokenizer.tokenize(text);
      for (const maxTokens of [0, 1, 2, Math.floor(ids.length / 2), ends.length + 5]) {
        const part = tokenizer.tokenize(text, { maxTokens });
        expect(Array.from(part.ids)).toEqual(ids.slice(0, maxTokens));
        expect(Array.from(part.ends)).toEqual(Array.from(whole.ends).slice(0, maxTokens));
      }
    }
  });
});

describe("segmentation", () => {
  it("takes the cheapest pieces, and of equally cheap ones the longest at the end", () => {
    expect(pairs(made({ a: 10, aa: 15, "▁": 5, "▁a": 30 }), "aaa")).toEqual([
      ["▁", ""],
      ["a", "a"],
      ["aa", "aa"],
    ]);
    expect(pairs(made({ a: 10, aa: 20, "▁a": 5 }), "aaa").map(([piece]) => piece)).toEqual(["▁a", "aa"]);
  });

  it("joins neighbouring unknown characters of a word into one token, as text that looks like a special token", () => {
    const small = made({ a: 10, "▁a": 10, "▁": 10 });
    expect(pairs(small, "axyza <s> <unk>")).toEqual([
      ["▁a", "a"],
      ["<unk>", "xyz"],
      ["a", "a"],
      ["▁", ""],
      ["<unk>", "<s>"],
      ["▁", ""],
      ["<unk>", "<unk>"],
    ]);
  });

  it("says which tokens continue a word", () => {
    const small = made({ "▁": 9, "▁ab": 9, c: 9, ",": 9, 東: 9, 京: 9, 한: 9, 국: 9 });
    const id = (piece: string): number =>
      Array.from({ length: small.vocabularySize }, (_, i) => small.tokenOf(i)).indexOf(piece);
    expect(small.isContinuation(id("c"), id("▁ab"))).toBe(true);
    expect(small.isContinuation(id("c"), id(","))).toBe(false);
    expect(small.isContinuation(id("▁ab"), id("c"))).toBe(false);
    expect(small.isContinuation(id("京"), id("東"))).toBe(false);
    expect(small.isContinuation(id("국"), id("한"))).toBe(true);
    expect(small.isContinuation(id("東"), id("▁"))).toBe(true);
  });
});

describe("offsets slice the original text", () => {
  it.each([
    ["mixed scripts in one sentence", "Der Preis (価格) ist 12,50 € — قيمة Straße стоимость"],
    ["right-to-left with digits", "يبلغ السعر ١٢٣ أو 456 دولارًا في 2024"],
    ["combining marks and decomposed forms", "Cafe\u0301 ｸﾞｰｸﾞﾙ Vie\u0323\u0302t nga\u0300y e\u0301\u0301\u0301"],
    ["half-width kana", "ﾊﾝｶｸ ｶﾀｶﾅ ﾊﾟﾋﾟﾌﾟ"],
    ["emoji with joiners and flags", "ok 👩‍👩‍👧‍👦 und 🇩🇪🇫🇷 👍🏽!"],
    ["lone surrogates", "a\ud800b \udc00 c\ud83d"],
    ["controls and odd spaces", "\u0001a\u00a0b\u200bc\ufeff d\u3000e\u2028f"],
    ["ligatures and expanding characters", "ﬁn ½ ㍿ ﷺ ² Ⅷ"],
    ["Hangul letters", "\u1112\u1161\u11ab\u1100\u116e\u11a8 한국 \u1112"],
  ])("%s", (_, text) => {
    const { ids, starts, ends, count } = tokenizer.tokenize(text);
    const covered = new Set<number>();
    for (let t = 0; t < count; t++) {
      const [start, end] = [starts[t]!, ends[t]!];
      expect(start).toBeLessThanOrEqual(end);
      if (t > 0) expect(start).toBeGreaterThanOrEqual(starts[t - 1]!);
      for (let i = start; i < end; i++) covered.add(i);
      // Known pieces are the normalised slice: nothing is shifted.
      const piece = tokenizer.tokenOf(ids[t]!).replace("▁", "");
      const again = Array.from(tokenizer.tokenize(text.slice(start, end)).ids, (id) => tokenizer.tokenOf(id)).join("");
      if (ids[t] !== tokenizer.unknownId)
        expect(again.replaceAll("▁", "").includes(piece) || end - start <= 2).toBe(true);
      // No token begins or ends inside a surrogate pair.
      for (const at of [start, end]) {
        const inside = /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");
        expect(inside).toBe(false);
      }
    }
    for (const { index, 0: character } of text.matchAll(/[\p{L}\p{N}]/gu)) {
      for (let i = 0; i < character.length; i++)
        expect({ text, at: index + i, covered: covered.has(index + i) }).toMatchObject({ covered: true });
    }
  });

  it("of any text, in order, within any range", () => {
    const unit = fc.oneof(fc.integer({ min: 0x20, max: 0x24f }), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.nat(20), fc.nat(60), (units, from, length) => {
        const text = String.fromCharCode(...units);
        const to = Math.min(text.length, from + length);
        const { starts, ends, count } = tokenizer.tokenize(text, { from, to });
        const alone = tokenizer.tokenize(text.slice(from, Math.max(from, to)));
        expect(Array.from(alone.starts, (at) => at + from)).toEqual(Array.from(starts));
        for (let t = 0; t < count; t++) {
          expect(from <= starts[t]! && starts[t]! <= ends[t]! && ends[t]! <= to).toBe(true);
          if (t > 0) expect(ends[t]!).toBeGreaterThanOrEqual(ends[t - 1]!);
        }
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});

describe("very long words", () => {
  it("are segmented as if they were read at once", () => {
    const small = made({ "▁": 5, a: 10, ab: 12, b: 10, ba: 12, c: 7 });
    const word = "abacb".repeat(3000);
    const tokens = small.tokenize(word);
    const first = small.tokenize("abacb".repeat(4));
    expect(Array.from(tokens.ids.slice(0, first.count - 4))).toEqual(Array.from(first.ids.slice(0, first.count - 4)));
    expect(tokens.ends[tokens.count - 1]).toBe(word.length);
    for (let t = 1; t < tokens.count; t++) expect(tokens.starts[t]).toBe(tokens.ends[t - 1]);
  });

  it("without any certain boundary are read in linear memory and keep the best pieces", () => {
    const small = made({ "▁": 5, a: 10, aa: 15 });
    const { ids, count } = small.tokenize("a".repeat(20_001));
    expect(count).toBe(1 + 10_001);
    expect(Array.from(ids).filter((id) => small.tokenOf(id) === "a").length).toBe(1);
  });

  it("of unknown characters are one token", () => {
    const { ids, ends } = made({ "▁": 5 }).tokenize("q".repeat(50_000));
    expect([Array.from(ids), Array.from(ends)]).toEqual([
      [5, 1],
      [0, 50_000],
    ]);
  });
});

describe("the vocabulary file", () => {
  it("is refused if it is another file, truncated, or changed in length", () => {
    const bytes = Uint8Array.from(file);
    const read = (changed: Uint8Array) => () => parseUnigramVocabulary(changed);
    expect(read(new TextEncoder().encode("[PAD]\n[UNK]\n"))).toThrow("does not begin with VUGM");
    expect(read(bytes.slice(0, 1000))).toThrow("expected");
    expect(read(Uint8Array.from(bytes).fill(9, 4, 5))).toThrow("version 9");
    const broken = Uint8Array.from(bytes);
    broken[28 + 2 * vocabulary.pieces.length + 20]! += 200;
    expect(read(broken)).toThrow("cannot be read");
  });

  it("keeps costs as written", () => {
    expect(vocabulary.costs.slice(0, 5)).toEqual(new Uint16Array(5));
    expect(vocabulary.pieces.slice(0, 5)).toEqual(["<pad>", "<unk>", "<s>", "</s>", "<mask>"]);
    expect(vocabulary.rules.get("e\u0301")).toBe("é");
  });
});
