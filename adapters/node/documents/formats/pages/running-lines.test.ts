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
/** A head, and a number at the right margin. */
const apart = (head: string, page: number): PageLine => ({
  ...line(`${head} ${page}`, 780),
  pieces: [
    { text: head, left: 72, right: 150 },
    { text: String(page), left: 390, right: 400 },
  ],
});
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

  it.each<[string, (page: number) => { head?: PageLine; foot?: PageLine }]>([
    ["numbers of invoices", (page) => ({ head: line(`Invoice number: ${1000 + page}`, 780) })],
    ["numbers of invoices without a colon", (page) => ({ head: line(`Tax invoice ${1000 + page}`, 780) })],
    ["numbers with a name", (page) => ({ head: apart("Sample number", page) })],
    ["dates that differ in digits", (page) => ({ head: line(`Date: 2026-0${page}-15`, 780) })],
    ["dates of successive days", (page) => ({ foot: line(`2026-01-${14 + page}`, 30) })],
    ["years", (page) => ({ head: line(String(2018 + page), 780) })],
    ["numbered headings", (page) => ({ head: line(`Day ${page}`, 780) })],
    ["numbered headings of two words", (page) => ({ head: line(`Work package ${page}`, 780) })],
    ["Russian headings", (page) => ({ head: line(`День ${page}`, 780) })],
    ["sections", (page) => ({ head: line(`${page} ${["Oil", "Wick", "Glass", "Flame"][page - 1]}`, 780) })],
    ["headings close to the text", (page) => ({ head: { ...apart("Lamp log", page), y: 664 - page } })],
  ])("are not %s", (_what, rim) => {
    const pages = pagesOf(4, rim);
    expect(withoutRunningLines(pages)).toEqual(pages);
  });

  it.each<[string, (page: number) => PageLine]>([
    ["set apart by a gap", (page) => apart("Report 2024", page)],
    ["set apart by a line", (page) => line(`Report 2024 | ${page}`, 780)],
    ["set apart by a slash", (page) => line(`Report 2024 / ${page}`, 780)],
    ["with a word for “page”", (page) => line(`Report 2024 – Page ${page} of 4`, 780)],
    ["of a web page", (page) => line(`https://example.org/report ${page}/4`, 780)],
  ])("with a head that repeats exactly stay on the first page: a number %s", (_what, head) => {
    const pages = pagesOf(4, (page) => ({ head: head(page) }));
    expect(textOf(withoutRunningLines(pages)).match(/report/gi)).toHaveLength(1);
  });

  it.each(["Seite 3 von 4", "página 3", "стр. 3", "第 3 页", "3 ページ", "– 3 –", "4-3", "[3]"])(
    "are page numbers in other forms: %s",
    (form) => {
      const pages = pagesOf(4, (page) => ({ foot: line(form.replace("3", String(page)), 30) }));
      expect(textOf(withoutRunningLines(pages)).split("\n")).toHaveLength(8);
    },
  );

  it("stay on the first page that has them, unless they are a line of the text", () => {
    const pages = pagesOf(5, (page) => (page > 1 ? { head: line("Contract 4711", 780) } : {}));
    expect(withoutRunningLines(pages)[1]!.lines.map(({ text }) => text)).toContain("Contract 4711");
    pages[0]!.lines.push(line("Contract 4711", 700, 20));
    expect(textOf(withoutRunningLines(pages)).match(/Contract/g)).toHaveLength(1);
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

  it.each(["Inhaltsverzeichnis", "Table des matières", "S P I S  T R E Ś C I", "目 次"])("may be called %s", (name) => {
    const list = page(name, "Oil ..... 2", "Wick ..... 9", "Lamp ..... 40", "Glass ..... 53", "Text");
    expect(withoutContents([list])[0]!.lines.map(({ text }) => text)).toEqual(["Text"]);
  });

  it("may continue on the next page, or have no name if its entries are headings", () => {
    const pages = [
      page("Contents", "Oil ..... 2", "Wick ..... 3", "Lamp ..... 4", "Glass ..... 5"),
      page("1. Flame ..... 6", "2. Tower ..... 7", "3. Boat ..... 8", "4. Crew ..... 9", "The end"),
      page("Oil", "It burned."),
    ].map((each, i) => ({ ...each, number: i + 1 }));
    expect(textOf(withoutContents(pages))).toBe("The end\nOil\nIt burned.");
    const headings = page("1 Flame", "A.", "2. Tower", "B.", "3 Boat", "C.");
    expect(withoutContents([pages[1]!, headings])[0]!.lines.map(({ text }) => text)).toEqual(["The end"]);
  });

  it("is not a list with numbers that ascend", () => {
    const list = page("Phones", "Reception ..... 100", "Spa ..... 110", "Garage ..... 120", "Manager ..... 130");
    expect(withoutContents([list])).toEqual([list]);
  });

  it("is not a price list", () => {
    const list = page("Oil ..... 9", "Wick ..... 2", "Lamp ..... 40", "Glass ..... 3");
    expect(withoutContents([list])).toEqual([list]);
  });
});
