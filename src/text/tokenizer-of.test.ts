import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tokenizerOf } from "./tokenizer-of.js";
import { UnigramTokenizer } from "./unigram/tokenizer.js";
import { WordPieceTokenizer } from "./wordpiece/tokenizer.js";

const file = (path: string): Uint8Array => readFileSync(new URL(path, import.meta.url));
const unigram = tokenizerOf(file("unigram/golden/vocab.unigram"));
const wordPiece = tokenizerOf(file("../../models/verbatim-en/vocab.txt"));

describe("the tokenizer of a vocabulary file", () => {
  it("is Unigram for vocab.unigram and WordPiece for vocab.txt", () => {
    expect(unigram).toBeInstanceOf(UnigramTokenizer);
    expect(wordPiece).toBeInstanceOf(WordPieceTokenizer);
  });

  it("refuses a truncated Unigram vocabulary instead of reading it as words", () => {
    const whole = file("unigram/golden/vocab.unigram");
    expect(() => tokenizerOf(whole.subarray(0, whole.length - 1))).toThrow(
      expect.objectContaining({ code: "unsupported-format" }),
    );
  });

  it.each([
    ["WordPiece", wordPiece, "the amazon flows"],
    ["Unigram", unigram, "the house of cards"],
  ])("gives the text of neighbouring tokens back: %s", (_, tokenizer, text) => {
    const { ids } = tokenizer.tokenize(text);
    expect(tokenizer.textOf([...ids])).toBe(text);
    expect(tokenizer.textOf([ids[0]!])).not.toMatch(/^[▁ #]/);
  });
});
