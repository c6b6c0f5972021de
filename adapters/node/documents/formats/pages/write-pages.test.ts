import { describe, expect, it } from "vitest";
import { readLimits } from "../../limits.js";
import { TextBuilder } from "../text-builder.js";
import type { PageLine } from "./page-lines.js";
import { writePages } from "./write-pages.js";

const line = (text: string, y: number, more: Partial<PageLine> = {}): PageLine => ({
  text,
  left: 72,
  right: 500,
  y,
  height: 10,
  font: "f",
  ...more,
});

function written(...pages: PageLine[][]): TextBuilder {
  const builder = new TextBuilder(readLimits());
  writePages(
    builder,
    pages.map((lines, i) => ({ number: i + 1, lines })),
  );
  return builder;
}
const textOf = (...pages: PageLine[][]): string => written(...pages).text();

describe("the lines of a page", () => {
  it("keep hyphens that belong to a word, and lose those of the line end", () => {
    expect(
      textOf([line("by Smith-", 100), line("Jones, 1990-", 88), line("1995, observa-", 76), line("tory", 64)]),
    ).toBe("by Smith-Jones, 1990- 1995, observatory");
  });

  it("set a heading of another size apart", () => {
    expect(textOf([line("Heading", 100, { height: 16 }), line("Text goes", 84), line("on.", 72)])).toBe(
      "Heading\n\nText goes on.",
    );
  });

  it("continue in the next column where a sentence does", () => {
    expect(textOf([line("a sentence that", 50), line("goes on.", 700)])).toBe("a sentence that goes on.");
    expect(textOf([line("It ends.", 50), line("Next one.", 700)])).toBe("It ends.\n\nNext one.");
  });

  it("set the items of a list apart", () => {
    expect(textOf([line("Features:", 100), line("• one", 88), line("goes on", 76), line("• two", 64)])).toBe(
      "Features:\n\n• one goes on\n\n• two",
    );
  });

  it("join Chinese without a space", () => {
    expect(textOf([line("天文台は", 100), line("設立", 88)])).toBe("天文台は設立");
  });

  it("continue on the next page where a sentence does", () => {
    const builder = written([line("the lamp was", 60)], [line("lit in May.", 700)], [line("Next one.", 700)]);
    expect(builder.text()).toBe("the lamp was lit in May.\n\nNext one.");
    expect(builder.segments.map(({ page }) => page)).toEqual([1, 2, 3]);
  });

  it("keep the place of each word, also of a divided one", () => {
    const words = (...texts: string[]) => texts.map((text) => ({ text, path: `at ${text}` }));
    const builder = written([
      line("the obser-", 100, { words: words("the", "obser-") }),
      line("vatory", 88, { words: words("vatory") }),
    ]);
    expect(builder.text()).toBe("the observatory");
    expect(builder.segments.map(({ path }) => path)).toEqual(["at the", "at obser-", "at vatory"]);
    expect(builder.segments.map(({ start }) => start)).toEqual([0, 4, 9]);
  });
});
