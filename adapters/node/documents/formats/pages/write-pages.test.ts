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

  it("keep a hyphen at the line end of a word that has it inside of lines", () => {
    const lines = [line("a well-known fact of (well-", 100), line("known), observa-", 88), line("tory", 76)];
    expect(textOf(lines)).toBe("a well-known fact of (well-known), observatory");
  });

  it("keep the hyphen of a compound in a document that divides no words", () => {
    const lines = [line("a non-", 100), line("refundable state-of-the-", 88), line("art long-", 76), line("term", 64)];
    expect(textOf([...lines, line("deposit, observa-", 52), line("tory", 40)])).toBe(
      "a non-refundable state-of-the-art long-term deposit, observatory",
    );
    const dividing = [line("the observatory and the observa-", 100), line("tory, part-", 88), line("ner", 76)];
    expect(textOf(dividing)).toBe("the observatory and the observatory, partner");
    const keeping = [line("one-way, two-way, one-", 100), line("way, two-", 88), line("way, three-", 76)];
    expect(textOf([...keeping, line("way", 64)])).toBe("one-way, two-way, one-way, two-way, three-way");
    expect(textOf([line("partly, part-", 100), line("ly", 88)])).toBe("partly, partly");
    expect(textOf([line("a non\u00ad", 100), line("sense", 88)])).toBe("a nonsense");
  });

  it("stay apart where the next word had room and does not continue a sentence", () => {
    const short = (text: string, y: number, right = 150) => line(text, y, { right });
    const address = [line("Long line of text", 130), short("Acme Ltd", 100), short("5 Mill Road", 88, 160)];
    expect(textOf([...address, short("and others", 76, 140)])).toBe(
      "Long line of text\n\nAcme Ltd\n5 Mill Road and others",
    );
    // In a column, and next to one.
    const column = [100, 88, 76].map((y) => short("Text of Acme", y));
    expect(textOf([line("Long line of text", 130), ...column])).toBe(
      "Long line of text\n\nText of Acme Text of Acme Text of Acme",
    );
    const aside = line("aside", 90, { left: 300 });
    expect(textOf([...address, aside])).toContain("Acme Ltd 5 Mill Road");
  });

  it("set a heading of another size apart", () => {
    expect(textOf([line("Heading", 100, { height: 16 }), line("Text reads", 84), line("on.", 72)])).toBe(
      "Heading\n\nText reads on.",
    );
  });

  it("continue in the next column where a sentence does", () => {
    expect(textOf([line("a sentence that", 50), line("continues.", 700)])).toBe("a sentence that continues.");
    expect(textOf([line("It ends.", 50), line("Next one.", 700)])).toBe("It ends.\n\nNext one.");
  });

  it("set the items of a list apart", () => {
    expect(textOf([line("Features:", 100), line("• one", 88), line("continues", 76), line("• two", 64)])).toBe(
      "Features:\n\n• one continues\n\n• two",
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

describe("headings", () => {
  const body = Array.from({ length: 8 }, (_, i) =>
    line(`Text of the page, line ${i}, which is long enough.`, 500 - i * 12),
  );

  it("are larger than the text, at a level for each size", () => {
    const page = [
      line("Keeping the light", 700, { height: 24 }),
      line("The lamp of", 650, { height: 16 }),
      line("Ellenport", 632, { height: 16 }),
      ...body,
      line("Oil", 300, { height: 13 }),
      line("Colza oil.", 280),
    ];
    const builder = written(page);
    const { text, headings } = builder.content("pdf");
    expect(headings!.map(({ start, end, level }) => [level, text.slice(start, end)])).toEqual([
      [1, "Keeping the light"],
      [2, "The lamp of Ellenport"],
      [3, "Oil"],
    ]);
    expect(writePages(new TextBuilder(readLimits()), [{ number: 1, lines: page }]).title).toBe("Keeping the light");
  });

  it("are numbered lines in a font of their own, where the size is that of the text", () => {
    const { text, headings } = written([line("2.1 Care of the wick", 530, { font: "bold" }), ...body]).content("pdf");
    expect(headings!.map(({ start, end, level }) => [level, text.slice(start, end)])).toEqual([
      [2, "2.1 Care of the wick"],
    ]);
  });

  describe("of the text's size in a font of their own", () => {
    const text = (y: number): PageLine => line("The workshop is open from Monday to Friday between nine and five.", y);
    const bold = (words: string, y: number, more: Partial<PageLine> = {}): PageLine =>
      line(words, y, { font: "bold", right: 160, ...more });
    const headingsOf = (...lines: PageLine[]): string[] => {
      const builder = written(lines);
      return builder.content("pdf").headings?.map(({ start, end }) => builder.text().slice(start, end)) ?? [];
    };

    const piece = (words: string, left: number) => ({ text: words, left, right: left + 6 * words.length });

    it("are short lines above text", () => {
      const lines = [
        bold("Opening hours", 700),
        text(686),
        text(674),
        bold("Lending of tools", 650),
        text(638),
        text(626),
      ];
      expect(headingsOf(...lines)).toEqual(["Opening hours", "Lending of tools"]);
    });

    it.each<[string, PageLine]>([
      ["a caption", bold("Figure 2: the desk", 650)],
      ["the end of a sentence", bold("only on Fridays.", 650)],
      ["code", bold("Lend drill", 650, { isMonospace: true })],
      ["a line inside a paragraph", bold("Monday to Friday", 664)],
      ["a number", bold("1911", 650)],
      ["names of columns", bold("Tool Deposit", 650, { pieces: [piece("Tool", 72), piece("Deposit", 200)] })],
      ["a centred line", bold("Lending of tools", 650, { left: 250 })],
    ])("are not %s", (_, other) => {
      const first = [bold("Opening hours", 720), text(706), bold("Fees", 690), text(676)];
      expect(headingsOf(...first, other, text(other.y - 12), text(other.y - 24))).toEqual(["Opening hours", "Fees"]);
    });

    it("are not a single line, which is emphasised", () => {
      expect(headingsOf(text(700), text(688), bold("Take care with the saw", 650), text(638), text(626))).toEqual([]);
    });
  });

  it("are not found where most of the text is large", () => {
    expect(
      written([line("A poster in large letters", 700, { height: 30 }), line("by hand", 600)]).content("pdf").headings,
    ).toBe(undefined);
  });
});

describe("tables", () => {
  const row = (y: number, cells: [left: number, text: string][], font = "f"): PageLine =>
    line(cells.map(([, text]) => text).join(" "), y, {
      font,
      pieces: cells.map(([left, text]) => ({ text, left, right: left + 5 * text.length })),
    });
  const rows = [
    row(
      300,
      [
        [72, "Oil"],
        [160, "Litres"],
        [240, "Price"],
      ],
      "bold",
    ),
    row(286, [
      [72, "Colza"],
      [165, "4.5"],
      [240, "9 d"],
    ]),
    row(272, [
      [72, "Paraffin"],
      [165, "3"],
      [240, "7 d"],
    ]),
  ];

  it("are rows of cells below a header", () => {
    const { text } = written([line("Prices:", 330), ...rows, line("The end.", 200)]).content("pdf");
    expect(text).toBe("Prices:\n\nOil | Litres | Price\nColza | 4.5 | 9 d\nParaffin | 3 | 7 d\n\nThe end.");
  });

  it("keep empty cells in their place", () => {
    const crossed = [
      row(
        300,
        [
          [160, "Berlin"],
          [240, "Hamburg"],
        ],
        "bold",
      ),
      row(286, [
        [72, "Rent"],
        [240, "850"],
      ]),
      row(272, [
        [72, "Water"],
        [160, "30"],
        [240, "28"],
      ]),
    ];
    const { text } = written(crossed).content("pdf");
    expect(text).toBe(" | Berlin | Hamburg\nRent |  | 850\nWater | 30 | 28");
  });

  it("are not lines of justified text with wide spaces", () => {
    const text = [
      row(300, [
        [72, "The lamp"],
        [130, "arrived in August,"],
      ]),
      row(288, [
        [72, "packed in straw, with"],
        [190, "two"],
      ]),
      row(276, [
        [72, "spare wicks and"],
        [160, "a bill."],
      ]),
    ];
    expect(textOf(text)).toBe("The lamp arrived in August, packed in straw, with two spare wicks and a bill.");
  });
});
