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
