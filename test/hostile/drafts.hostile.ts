/** A draft that is made to be slow takes time in proportion to its size. */

import { describe, expect, it } from "vitest";
import { quotationsIn } from "../../src/quote/draft-quotations.js";
import { piecesOf } from "../../src/quote/quotation-pieces.js";
import { alignWords } from "../../src/quote/word-diff.js";
import { Quotation } from "../../src/text/quotation.js";
import { growthOf, MAX_GROWTH } from "../support/growth.js";

/** The largest draft, in UTF-16 units of what is repeated. */
const MAX_UNITS = 2 ** 20;

const REPEATED = [
  ...["[", "(", " ", "`", "according to ", ". ", "[^", "`a``", "[a](", "](", "<a ", "**a ", "__a ", "*a", "_a"],
  ...["\\", "\t", "\r", "> ", "— ", "quoting\t ", "a.", "a.md", "“", '"a ', "'a ", ". .", "[^1]: ", '"a"[^1] '],
  ...["e\u0301\u0323", "\u0323", '字"', "「字", "… ", "---\n"],
];
const PLACES: Readonly<Record<string, (body: string) => string>> = {
  "a paragraph": (body) => body,
  "a quotation": (body) => `He said “one ${body} two” (history.md).`,
  "a block quote": (body) => `> one ${body} two\n> ${body}`,
  "a source": (body) => `> one two\n> — ${body} x\n\n[^1]: ${body} x\n\nOne ${body} x “one two”[^1] ${body} x.`,
};

/** All that reads the draft before the index is searched. */
function read(draft: string): void {
  for (const { text } of quotationsIn(draft).quotations) {
    for (const piece of piecesOf(text)) new Quotation(piece).findIn("one two");
    alignWords(text, "one two");
  }
}

describe.each(Object.entries(PLACES))("a draft with %s", (_, draftOf) => {
  it.each(REPEATED)("of many %j takes time in proportion to its size", { timeout: 600_000 }, async (piece) => {
    const growth = await growthOf((units) => {
      if (units > MAX_UNITS) return;
      const draft = draftOf(piece.repeat(units / piece.length));
      return () => read(draft);
    });
    expect(growth).toBeLessThanOrEqual(MAX_GROWTH);
  });
});
