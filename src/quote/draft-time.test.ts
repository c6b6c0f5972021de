/** A draft that is made to be slow takes time in proportion to its size. */

import { describe, expect, it } from "vitest";
import { Quotation } from "../text/quotation.js";
import { quotationsIn } from "./draft-quotations.js";
import { piecesOf } from "./quotation-pieces.js";
import { alignWords } from "./word-diff.js";

const UNITS = 200_000;
const PARTS = 16;
/** One large draft takes as long as 16 small ones in linear time, and 16 times as long in quadratic time. */
const MAX_RATIO = 5;
/** The best of these measurements counts. */
const ROUNDS = 8;

const REPEATED = [
  ...["[", "(", " ", "`", "according to ", ". ", "[^", "`a``", "[a](", "](", "<a ", "**a ", "__a ", "*a", "_a"],
  ...["\\", "\t", "\r", "> ", "— ", "quoting\t ", "a.", "a.md", "“", '"a ', "'a ", ". .", "[^1]: ", '"a"[^1] '],
];
const PLACES: Readonly<Record<string, (body: string) => string>> = {
  "a paragraph": (body) => body,
  "a quotation": (body) => `He said “one ${body} two” (history.md).`,
  "a block quote": (body) => `> one ${body} two\n> ${body}`,
  "a source": (body) => `> one two\n> — ${body} x\n\n[^1]: ${body} x\n\nOne ${body} x “one two”[^1] ${body} x.`,
};

/** Milliseconds of everything that reads the draft before the index is searched. */
function timeOf(draft: string, times = 1): number {
  const start = performance.now();
  for (let n = 0; n < times; n++) {
    for (const { text } of quotationsIn(draft).quotations) {
      for (const piece of piecesOf(text)) new Quotation(piece).findIn("one two");
      alignWords(text, "one two");
    }
  }
  return performance.now() - start;
}

describe.each(Object.entries(PLACES))("a draft with %s", (_, draftOf) => {
  it.each(REPEATED)("of many %j takes time in proportion to its size", { timeout: 60_000 }, (piece) => {
    const [small, large] = [UNITS / PARTS, UNITS].map((units) => draftOf(piece.repeat(units / piece.length)));
    let [parts, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS && !(whole / parts < MAX_RATIO); round++) {
      parts = Math.min(parts, timeOf(small!, PARTS));
      whole = Math.min(whole, timeOf(large!));
    }
    expect(whole / parts).toBeLessThan(MAX_RATIO);
  });
});
