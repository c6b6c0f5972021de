import { describe, expect, it } from "vitest";
import type { PageLine, TextPage } from "./page-lines.js";
import { withoutContents, withoutRunningLines } from "./running-lines.js";

const line = (text: string, y: number, height = 10): PageLine => ({ text, left: 72, right: 400, y, height, font: "f" });
const BODY = ["The lamp burned colza oil at first.", "Edith trimmed the wick for nine years."];

/** Pages with a head, two lines of text that differ from page to page, and a foot. */
function pagesOf(count: number, rim: (page: number) => { head?: PageLine; foot?: PageLine }): TextPage[] {
  return Array.from({ length: count }, (_, i) => {
    const { head, foot } = rim(i + 1);
    const body = BODY.map((text, row) => line(`${text} ${"abcdefghij"[i]}`, 650 - 14 * row - i));
    return { number: i + 1, lines: [...(head ? [head] : []), ...body, ...(foot ? [foot] : [])] };
  });
}
const textOf = (pages: readonly TextPage[]): string =>
  pages.flatMap(({ lines }) => lines.map((it) => it.text)).join("\n");

describe("running lines", () => {
  it.each<[string, (page: number) => { head?: PageLine; foot?: PageLine }]>([
    ["a page number", (page) => ({ foot: line(String(page + 6), 30) })],
    ["Roman page numbers", (page) => ({ foot: line(["i", "ii", "iii", "iv"][page - 1]!, 30) })],
    ["“Page 2 of 4”", (page) => ({ foot: line(`Page ${page} of 4`, 30) })],
    ["a chapter and a page number", (page) => ({ head: line(`${page < 3 ? "The lamp" : "Oil"} ${page}`, 780) })],
    ["names left and right", (page) => ({ head: line(page % 2 ? `Ainslie ${page}` : `${page} Ainslie`, 780) })],
  ])("are left out: %s", (_what, rim) => {
    const text = textOf(withoutRunningLines(pagesOf(4, rim)));
    expect(text.split("\n")).toHaveLength(8);
    expect(text).not.toMatch(/\d|Page|Ainslie|^i/m);
  });

  it("without a number stay on the first page", () => {
    const text = textOf(withoutRunningLines(pagesOf(5, () => ({ head: line("Harbour board", 780) }))));
    expect(text.match(/Harbour board/g)).toHaveLength(1);
  });

  it("are not headings, numbers of the text, or words at different places", () => {
    const kept: ((page: number) => { head?: PageLine; foot?: PageLine })[] = [
      (page) => ({ head: line(`Chapter ${page}`, 780, 20) }),
      (page) => ({ foot: line(`${["Nine", "Few", "Many", "All"][page - 1]} lamps of 1871`, 30) }),
      (page) => ({ head: line("Summary", 780 - 40 * page) }),
    ];
    for (const rim of kept) expect(textOf(withoutRunningLines(pagesOf(4, rim))).split("\n")).toHaveLength(12);
  });

  it("of two pages are page numbers only", () => {
    const rim = (page: number) => ({ head: line("Invoice", 780), foot: line(`- ${page} -`, 30) });
    expect(textOf(withoutRunningLines(pagesOf(2, rim))).split("\n")).toHaveLength(6);
  });
});

describe("a table of contents", () => {
  const page = (...texts: string[]): TextPage => ({
    number: 1,
    lines: texts.map((text, i) => line(text, 700 - 14 * i)),
  });

  it("is left out with its name and with entries without dots", () => {
    const entries = [
      "1 The lamp 2",
      "1.1 Oil . . . . . 2",
      "1.2 Wick ...... 3",
      "2 Letters 5",
      "2.1 Bristol ..... 5",
      "2.2 Leeds ....... 7",
    ];
    expect(withoutContents([page("Contents", ...entries, "The lamp")])[0]!.lines.map(({ text }) => text)).toEqual([
      "The lamp",
    ]);
  });

  it("is not a price list", () => {
    const list = page("Oil ..... 9", "Wick ..... 2", "Lamp ..... 40", "Glass ..... 3");
    expect(withoutContents([list])).toEqual([list]);
  });
});
