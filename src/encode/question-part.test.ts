import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseVocabulary, WordPieceTokenizer } from "../text/wordpiece/tokenizer.js";
import { isTooLong } from "./input.js";
import { readablePart } from "./question-part.js";

const tokenizer = new WordPieceTokenizer(
  parseVocabulary(readFileSync(new URL("../../models/verbatim-en/vocab.txt", import.meta.url), "utf8")),
);
const part = (question: string, room = 12): string =>
  isTooLong(tokenizer, question, room + 2) ? readablePart(tokenizer, question, room) : question;
const STORY = "I bought the red pump in May. It ran for a week and then it leaked from the lid. ";

describe("what is read of a question", () => {
  it("keeps a question that is short enough", () => {
    expect(part("Who founded the observatory?")).toBe("Who founded the observatory?");
    expect(part(`  ${"a ".repeat(12)} `)).toBe(`  ${"a ".repeat(12)} `);
  });

  it("keeps the beginning and the last question of a long one", () => {
    expect(part(`${STORY}Who repairs it?`)).toBe("I bought the red pump in May. Who repairs it?");
    expect(part(`${STORY}Is it old? It smells. Who repairs it? Thank you, and kind regards to all.`)).toBe(
      "I bought the red pump in May. Who repairs it?",
    );
    expect(part(`${STORY}我买了一个红色的水泵。谁修理它？`)).toBe("谁修理它？");
  });

  it("leaves a long question as it is if its beginning asks, or nothing does", () => {
    for (const question of [STORY, `Who repairs the pump? ${STORY}`]) expect(part(question)).toBe(question);
  });

  it("keeps a last question alone that says what it asks about, or leaves no room", () => {
    expect(part(`${STORY}Who repairs a red pump that leaks?`)).toBe("Who repairs a red pump that leaks?");
    const asked = "And what could you do about it then, if it were you who had it?";
    expect(part(`${STORY}${asked}`)).toBe(asked);
  });

  it("has at most as many tokens as there is room for, unless the last question has more", () => {
    const words = fc.constantFrom("pump", "leaks", "Wartungsvertrag", "谁", ".", "? ", "?", "\n\n", " ", "é", "-");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), fc.integer({ min: 3, max: 20 }), (all, room) => {
        const question = all.join(" ");
        const read = part(question, room);
        if (read !== question) expect(read).toMatch(/[?？]\P{L}*$/u);
        const tokens = Array.from(tokenizer.tokenize(question).ids);
        expect(tokens).toEqual(expect.arrayContaining(Array.from(tokenizer.tokenize(read).ids)));
      }),
    );
  });
});
