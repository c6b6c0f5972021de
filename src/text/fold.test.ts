/** Folding keeps an offset for every unit, and divides words only where the text does. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText, GAP } from "./fold.js";

describe("foldText", () => {
  it.each([
    ["The  Tower", "thetower"],
    ["co-\noperate", "cooperate"],
    ["eﬃcient Œuvre", "efficientoeuvre"],
    ["“a” «b» ‘c’ „d“ `e' ``f''", "'a''b''c''d''e''f'"],
    ["[T]he word[1]", "theword[1]"],
    ["3–5 and −7 or 3 - 5", "3-5and-7or3-5"],
    ["well–known — and so", "wellknownandso"],
    ["so\u00adft\u200b", "soft"],
    ["葛\u{e0100}城 ❤\ufe0f", "葛城❤"],
    ["ｶﾞｲﾄﾞ", "ガイド".normalize("NFD")],
    ["…", "..."],
    ["ê\u0323 e\u0302\u0323 Ệ", "e\u0323\u0302".repeat(3)],
    ["\u0628\u0651\u064e \u0628\u064e\u0651", "\u0628\u064e\u0651".repeat(2)],
    ["か\u3099と カ\u3099", "がとガ".normalize("NFD")],
    ["[E\u0301]tude e\u0301[1]", "e\u0301tudee\u0301[1]"],
    ["æ\u0301 \ufe0f\u0301 a\ufe00\u0302\u0323", "ae\u0301\u0301a\u0323\u0302"],
    ["", ""],
  ])("folds %j to %j", (text, folded) => {
    expect(foldText(text).text).toBe(folded);
  });

  it("says what is between the units", () => {
    const { gaps } = foldText("a b-c\n- d, e f");
    // a, b, c, d, ",", e, f, end
    expect([...gaps]).toEqual([
      GAP.loose,
      GAP.space,
      GAP.hyphen,
      GAP.hyphen,
      GAP.loose,
      GAP.loose,
      GAP.space,
      GAP.loose,
    ]);
  });

  it("gives a character with marks one offset, and takes the next characters as they are", () => {
    const { text, from, gaps } = foldText("Việ\u0323t e\u0302\u0323 x");
    expect(text).toBe("vie\u0323\u0323\u0302te\u0323\u0302x");
    expect([...from]).toEqual([0, 1, 2, 2, 2, 2, 4, 6, 6, 6, 10, 11]);
    expect([gaps[7], gaps[8], gaps[10]]).toEqual([GAP.space, GAP.none, GAP.space]);
  });

  it("folds canonically equivalent texts alike", () => {
    const characters = [
      ..."aÊệơÅ“’ßΣÆ- が각קָשّ1२น",
      "[É]t",
      "[ệ",
      "]x",
      "\u0301",
      "\u0323",
      "\u0302",
      "\u031b",
      "\u0327",
      "\u064e",
      "\u0651",
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...characters), maxLength: 20 }), (text) => {
        const folded = foldText(text).text;
        for (const form of ["NFC", "NFD"]) expect(foldText(text.normalize(form)).text).toBe(folded);
      }),
      { seed: 20261126, numRuns: 500 },
    );
  });

  it("folds a run of marks of any length", () => {
    const marks = "\u0301\u0323".repeat(10_000);
    const { text, from } = foldText(`e${marks}x`);
    expect(text).toHaveLength(marks.length + 2);
    expect([from[0], from[63], from[64], from.at(-2)]).toEqual([0, 0, 64, marks.length + 1]);
  });

  it("keeps ascending offsets of characters for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        const { text: folded, from, gaps } = foldText(text);
        expect(from.length).toBe(folded.length + 1);
        expect(gaps.length).toBe(folded.length + 1);
        expect(from.at(-1)).toBe(text.length);
        const offsets = [...from];
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        expect(folded === "" || offsets.at(-2)! < text.length).toBe(true);
      }),
      { seed: 20261123, numRuns: 500 },
    );
  });
});
