import { describe, expect, it } from "vitest";
import { textBlocks } from "../../web/src/text-blocks.js";

const kindsOf = (text: string): string[] =>
  textBlocks(text).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);

describe("textBlocks", () => {
  it("finds headings, paragraphs, lists, code and tables", () => {
    expect(
      kindsOf(
        "The harbour\n\nIt is old.\nIt is small.\n\n- red lamp\n- green lamp\n\n    lamp --on\n\nship | year\nAnne | 1803\n\nThat is all.",
      ),
    ).toEqual([
      "heading: The harbour",
      "paragraph: It is old.\nIt is small.",
      "items: - red lamp\n- green lamp",
      "code:     lamp --on",
      "table: ship | year\nAnne | 1803",
      "paragraph: That is all.",
    ]);
  });

  it("does not take sentences, rows or the last line for headings", () => {
    const kinds = textBlocks("It rained.\n\nanne | 1803\n\nsmall words\n\nThe End").map(({ kind }) => kind);
    expect(kinds).toEqual(["paragraph", "paragraph", "paragraph", "paragraph"]);
  });

  it("covers everything but white space", () => {
    const text = "\n\n A  b\n\n\n\nC d.\n \nE\n";
    let rest = "";
    let at = 0;
    for (const { start, end } of textBlocks(text)) {
      rest += text.slice(at, start);
      at = end;
    }
    expect((rest + text.slice(at)).trim()).toBe("");
  });
});
