import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK_PATTERNS } from "./blocks.js";
import { SENTENCE_PATTERNS } from "./sentences.js";

describe("patterns for ASCII", () => {
  it.each(Object.entries({ ...SENTENCE_PATTERNS, ...BLOCK_PATTERNS }))(
    "%s finds what the one for all scripts finds",
    (_, pattern) => {
      const { ascii, full } = pattern;
      const every = Array.from({ length: 128 }, (_unused, code) => String.fromCharCode(code));
      const pieces = fc.constantFrom(
        ...every,
        ...every,
        "U.S",
        "Mr",
        "e.g",
        "12",
        "(“".slice(0, 1),
        "'tis",
        "a.m",
        "abc",
      );
      fc.assert(
        fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
          const text = list.join("");
          const [found, right] = [ascii.exec(text), full.exec(text)];
          expect(found && [...found, found.index]).toEqual(right && [...right, right.index]);
        }),
        { numRuns: 400 },
      );
      for (const character of every) expect(ascii.test(character), character).toBe(full.test(character));
    },
  );
});
