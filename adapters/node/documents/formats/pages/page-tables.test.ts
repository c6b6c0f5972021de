import { describe, expect, it } from "vitest";
import type { PageLine } from "./page-lines.js";
import { withTables } from "./page-tables.js";

/** A line with its parts at these left edges, in letters of 5 units. */
function line(y: number, ...parts: [left: number, text: string][]): PageLine {
  const pieces = parts.map(([left, text]) => ({ text, left, right: left + 5 * text.length }));
  const text = pieces.map((piece) => piece.text).join(" ");
  const { left } = pieces[0]!;
  const { right } = pieces.at(-1)!;
  return { text, left, right, y, height: 10, font: "f", ...(pieces.length > 1 ? { pieces } : {}) };
}

/** The rows of the tables; a line that is in none is text. */
const shown = (...lines: PageLine[]): (string | readonly string[])[] =>
  withTables(lines).map(({ line: { text }, row }) => row?.cells ?? text);

const HEADER = line(700, [72, "Room"], [200, "Equipment"], [400, "Seats"]);

describe("a row whose cells have several lines", () => {
  it("is one row where the lines follow each other cell by cell", () => {
    const lines = [
      HEADER,
      line(680, [72, "Sail loft"], [200, "Two long tables, a sewing"]),
      line(668, [200, "machine and an iron"]),
      line(680, [400, "12"]),
      line(640, [72, "Chart room of"]),
      line(628, [72, "the old school"]),
      line(640, [200, "Charts"], [400, "9"]),
    ];
    expect(shown(...lines)).toEqual([
      ["Room", "Equipment", "Seats"],
      ["Sail loft", "Two long tables, a sewing machine and an iron", "12"],
      ["Chart room of the old school", "Charts", "9"],
    ]);
  });

  it("is one row where the lines go across the page", () => {
    const lines = [
      HEADER,
      line(680, [72, "Sail loft"], [200, "Two long tables, a sewing"], [400, "12"]),
      line(668, [200, "machine for heavy cloth"]),
      line(650, [72, "Lamp room"], [200, "Four lamps"], [400, "6"]),
      line(632, [72, "Boat shed of"], [200, "Trestles, ropes and a bar-"], [400, "40"]),
      line(620, [72, "the school"], [200, "rel of tar"]),
    ];
    expect(shown(...lines)).toEqual([
      ["Room", "Equipment", "Seats"],
      ["Sail loft", "Two long tables, a sewing machine for heavy cloth", "12"],
      ["Lamp room", "Four lamps", "6"],
      ["Boat shed of the school", "Trestles, ropes and a barrel of tar", "40"],
    ]);
  });

  it("is not made of rows whose first cell is empty", () => {
    const lines = [
      HEADER,
      line(688, [72, "Sail loft"], [200, "Long tables and chairs"], [400, "12"]),
      line(676, [200, "Iron"], [400, "2"]),
      line(664, [200, "Lamp"], [400, "5"]),
    ];
    expect(shown(...lines).slice(2)).toEqual([
      ["", "Iron", "2"],
      ["", "Lamp", "5"],
    ]);
  });

  it("keeps an empty cell between others, and has none at its end", () => {
    const lines = [
      HEADER,
      line(680, [72, "Sail loft"], [400, "12"]),
      line(660, [72, "Lamp room"], [200, "Four lamps"]),
      line(640, [72, "Chart room"], [200, "Charts"], [400, "9"]),
    ];
    expect(shown(...lines).slice(1)).toEqual([
      ["Sail loft", "", "12"],
      ["Lamp room", "Four lamps"],
      ["Chart room", "Charts", "9"],
    ]);
  });

  it("is not made of numbers below each other", () => {
    const lines = [HEADER, line(688, [72, "Loft"], [200, "BP-204"], [400, "12"]), line(676, [200, "FF-900"]), HEADER];
    expect(shown(...lines)).toContainEqual("FF-900");
  });
});

describe("what is not a table", () => {
  it("is a list, whose first column has bullets or numbers", () => {
    const lines = ["1.", "2.", "3."].flatMap((mark, n) => [
      line(700 - 30 * n, [72, mark], [100, "Open the valve of the pump and"]),
      line(688 - 30 * n, [100, "wait"]),
    ]);
    expect(shown(...lines).every((one) => typeof one === "string")).toBe(true);
  });

  it("is text in two columns below a line with two parts", () => {
    const column = (left: number): PageLine[] =>
      Array.from({ length: 30 }, (_, n) => line(680 - 12 * n, [left, "the light was kept by Ada Quist"]));
    const lines = [line(700, [72, "Ada Quist"], [320, "Harbour School"]), ...column(72), ...column(320)];
    expect(shown(...lines, line(300, [72, "12"], [320, "Annals"])).every((one) => typeof one === "string")).toBe(true);
  });

  it("is text that crosses the gap between the columns", () => {
    const text = line(690, [72, "Every room is booked at the office, two days before."]);
    expect(shown(HEADER, text, line(670, [72, "a"], [200, "b"]), text)).toEqual([
      HEADER.text,
      text.text,
      "a b",
      text.text,
    ]);
  });
});
