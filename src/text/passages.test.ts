import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PASSAGE_UNITS, type Passage, type PassageOptions, splitPassages } from "./passages.js";
import { parseUnigramVocabulary } from "./unigram/file.js";
import { UnigramTokenizer } from "./unigram/tokenizer.js";
import { parseVocabulary, WordPieceTokenizer } from "./wordpiece/tokenizer.js";

const tokenizer = new WordPieceTokenizer(
  parseVocabulary(readFileSync(new URL("../../models/verbatim-en/vocab.txt", import.meta.url), "utf8")),
);
const split = (text: string, options: Partial<PassageOptions> = {}): Passage[] =>
  Array.from(splitPassages(text, { tokenizer, ...options }));
const texts = (text: string, options: Partial<PassageOptions> = {}): string[] =>
  split(text, options).map(({ start, end }) => text.slice(start, end));

/**
 * A passage holds the tokens of its own text, at most `maxTokens` of them, and each token of the text is in a
 * passage.
 */
function expectSound(text: string, maxTokens: number, options: Partial<PassageOptions> = {}): Passage[] {
  const passages = split(text, { ...options, maxTokens });
  let lastStart = -1;
  for (const { start, end, tokens } of passages) {
    const own = tokenizer.tokenize(text.slice(start, end));
    expect(tokens.ids).toEqual(own.ids);
    expect(Array.from(tokens.starts)).toEqual(Array.from(own.starts, (offset) => offset + start));
    expect(Array.from(tokens.ends)).toEqual(Array.from(own.ends, (offset) => offset + start));
    expect(tokens.count).toBeGreaterThan(0);
    expect(tokens.count).toBeLessThanOrEqual(maxTokens);
    expect(end - start).toBeLessThanOrEqual(MAX_PASSAGE_UNITS);
    expect(start).toBeGreaterThan(lastStart);
    lastStart = start;
  }
  const all = tokenizer.tokenize(text);
  let p = 0;
  for (let t = 0; t < all.count; t++) {
    while (p < passages.length && passages[p]!.end < all.ends[t]!) p++;
    expect(passages[p]?.start ?? Infinity).toBeLessThanOrEqual(all.starts[t]!);
  }
  return passages;
}

const piece = fc.constantFrom(
  ..."abc XYZ 19.!?…。！\"')(-\n中é😀",
  ...["The ", "word ", "cats ", ". ", ". ", "\n\n", "\n- ", "Mr. ", "unlikely ", "1911 ", "\u0301", "\ud800", "\u200b"],
);
const anyText = fc
  .array(piece, { maxLength: 400 })
  .map((parts) => parts.join("").replace(/[\p{L}\p{M}\p{N}]{8}/gu, "$& "));

describe("splitPassages", () => {
  it("keeps every token, never exceeds maxTokens, and gives the tokens of the passage's own text", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 10, max: 60 }), fc.nat(3), (text, maxTokens, overlapSentences) => {
        expectSound(text, maxTokens, { overlapSentences });
      }),
      { numRuns: 1000, seed: 5 },
    );
  });

  it("packs whole sentences and repeats the last short one", () => {
    const text = "One two three four. Five six seven eight. Nine ten eleven twelve. Last one here now.";
    expect(texts(text, { maxTokens: 15 })).toEqual([
      "One two three four. Five six seven eight. Nine ten eleven twelve.",
      "Nine ten eleven twelve. Last one here now.",
    ]);
    expect(texts(text, { maxTokens: 15, overlapSentences: 0 })).toEqual([
      "One two three four. Five six seven eight. Nine ten eleven twelve.",
      "Last one here now.",
    ]);
    // Five tokens are more than a third of 14.
    expect(texts(text, { maxTokens: 14 })).toEqual([
      "One two three four. Five six seven eight.",
      "Nine ten eleven twelve. Last one here now.",
    ]);
    expect(texts(text)).toEqual([text]);
  });

  it("ends a passage at a paragraph once it is 60 % full, but not before", () => {
    const long = "One two three four five.\n\nSix seven eight.";
    expect(texts(long, { maxTokens: 10, overlapSentences: 0 })).toEqual([
      "One two three four five.",
      "Six seven eight.",
    ]);
    expect(texts(long, { maxTokens: 11, overlapSentences: 0 })).toEqual([long]);
  });

  it("ends a passage between two rows of a table once it is 60 % full", () => {
    const rows = "one | two | three\nfour | five | six\nseven | eight | nine";
    expect(texts(rows, { maxTokens: 12, overlapSentences: 0 })).toEqual([
      "one | two | three\nfour | five | six",
      "seven | eight | nine",
    ]);
    expect(texts(rows, { maxTokens: 16, overlapSentences: 0 })).toEqual([
      "one | two | three\nfour | five | six",
      "seven | eight | nine",
    ]);
  });

  it("cuts a long sentence between words, with 32 tokens in common", () => {
    const text = Array.from({ length: 500 }, (_, n) => (n % 3 === 0 ? "tokenizers" : "cat")).join(" ");
    const passages = expectSound(text, 100);
    expect(passages.length).toBeGreaterThan(5);
    for (const [n, passage] of passages.entries()) {
      expect(text[passage.start - 1] ?? " ").toBe(" ");
      expect(text[passage.end] ?? " ").toBe(" ");
      const next = passages[n + 1];
      if (!next) continue;
      const common = passage.tokens.starts.filter((start) => start >= next.start).length;
      expect(common).toBeGreaterThanOrEqual(32);
      expect(common).toBeLessThan(40);
    }
  });

  it("handles words of 10,000 characters, alone and in a sentence", () => {
    const word = "x".repeat(10_000);
    expect(split(word).map(({ tokens }) => Array.from(tokens.ids))).toEqual([[tokenizer.unknownId]]);
    expectSound(`Before it. A ${word} and a ${word}. After it.`, 220);
    const letters = "qz".repeat(50);
    expectSound(`${letters} ${letters} ${letters}`, 220);
    // A word with more pieces than a passage has room for is cut inside.
    expect(split(letters, { maxTokens: 7 }).every(({ tokens }) => tokens.count <= 7)).toBe(true);
    expect(split(letters, { maxTokens: 7 }).at(-1)!.end).toBe(letters.length);
    expect(split("a b c", { maxTokens: 1 })).toHaveLength(3);
  });

  it("cuts words longer than MAX_PASSAGE_UNITS and ignores text without tokens", () => {
    const passages = split("y".repeat(50_000));
    expect(passages.map(({ start }) => start)).toEqual([0, 16_384, 32_768, 49_152]);
    expect(split("")).toEqual([]);
    expect(split(" \n\n \u0301 \u200b")).toEqual([]);
    expect(split(`\u0301${"\u200b".repeat(100_000)}`)).toEqual([]);
    expect(expectSound(`a${" ".repeat(100_000)}b`, 220)).toHaveLength(2);
    expectSound("😀 ".repeat(20_000), 220);
  });

  it("keeps within the limit where sentences need more tokens together than alone, and covers them all", () => {
    const pieces = ["<pad>", "<unk>", "<s>", "</s>", "<mask>", "▁我们", "▁", "我", "们", "。"];
    const unigram = new UnigramTokenizer({ pieces, costs: new Uint16Array(pieces.length).fill(9), rules: new Map() });
    const text = "我们。".repeat(30);
    expect(unigram.tokenize(text, { to: 3 }).count).toBe(2);
    expect(unigram.tokenize(text, { to: 6 }).count).toBe(5);
    const passages = [...splitPassages(text, { tokenizer: unigram, maxTokens: 12 })];
    let covered = 0;
    for (const { start, end, tokens } of passages) {
      expect(tokens.count).toBeLessThanOrEqual(12);
      expect(Array.from(tokens.ids)).toEqual(Array.from(unigram.tokenize(text.slice(start, end)).ids));
      expect(start).toBeLessThanOrEqual(covered);
      covered = end;
    }
    expect(covered).toBe(text.length);
  });

  it("does not cut inside a character of several pieces", () => {
    const multi = new URL("../../models/verbatim-multi/vocab.unigram", import.meta.url);
    const unigram = new UnigramTokenizer(parseUnigramVocabulary(readFileSync(multi)));
    const long = [
      Array.from({ length: 120 }, (_, n) => `${1 + (n % 4)}½ cups of flour`).join(", "),
      "㈱山田商店、㈱鈴木、".repeat(40),
      "½".repeat(200),
    ];
    for (const text of long) {
      for (const maxTokens of [...Array.from({ length: 30 }, (_, n) => 10 + n), 225, 230, 241, 253]) {
        let covered = 0;
        for (const { start, end, tokens } of splitPassages(text, { tokenizer: unigram, maxTokens })) {
          expect(tokens.count).toBeLessThanOrEqual(maxTokens);
          expect(tokens.count).toBeGreaterThan(0);
          expect(text.slice(covered, start).trim()).toBe("");
          covered = end;
        }
        expect(covered).toBe(text.length);
      }
    }
  });

  it("takes linear time and little memory on a large text without a line break", () => {
    // CPU time, because wall time depends on the load of the machine.
    const started = process.cpuUsage();
    for (const text of ["word ".repeat(300_000), "\u200b\n\n".repeat(300_000), "z".repeat(2_000_000)]) {
      let passages = 0;
      for (const _ of splitPassages(text, { tokenizer })) passages++;
      expect(passages).toBeLessThan(3_000);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(20e6);
  });

  it("rejects invalid limits and stops when aborted", () => {
    for (const options of [{ maxTokens: 0 }, { maxTokens: 2.5 }, { maxTokens: Number.NaN }, { overlapSentences: -1 }]) {
      expect(() => split("a", options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
    const stop = new AbortController();
    const passages = splitPassages("One. Two. Three.", { tokenizer, maxTokens: 2 }, stop.signal);
    expect(passages.next().done).toBe(false);
    stop.abort();
    expect(() => passages.next()).toThrow(expect.objectContaining({ code: "aborted" }));
  });
});
