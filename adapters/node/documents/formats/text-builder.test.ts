import { describe, expect, it } from "vitest";
import { readLimits } from "../limits.js";
import { TextBuilder } from "./text-builder.js";

/** A table whose rows are written cell by cell, each with the place "ROW:CELL". */
function written(...rows: string[][]): TextBuilder {
  const builder = new TextBuilder(readLimits());
  for (const [r, cells] of rows.entries()) {
    builder.beginRow();
    for (const [c, cell] of cells.entries()) {
      builder.beginCell();
      builder.write(cell, { path: `${r}:${c}` });
    }
    builder.endRow();
  }
  return builder;
}

describe("a row of cells", () => {
  it("keeps empty cells, except at its end", () => {
    const builder = written(["", "Berlin", "Ulm", ""], ["", ""], ["Rent", "", "", "9"]);
    expect(builder.text()).toBe(" | Berlin | Ulm\nRent |  |  | 9");
    builder.separate("\n");
    builder.write("Text", {});
    expect(builder.text()).toMatch(/9\nText$/);
  });

  it("gives each cell its place, and the empty cells that it begins with that of its first text", () => {
    const { segments } = written(["", "Berlin", "Ulm"], ["", "", "9"]);
    expect(segments).toEqual([
      { start: 0, path: "0:1" },
      { start: 12, path: "0:2" },
      { start: 16, path: "1:2" },
    ]);
  });

  it("has the text of a cell in the column that is named", () => {
    const builder = new TextBuilder(readLimits());
    builder.beginRow();
    builder.beginCell(1);
    builder.write("b", {});
    builder.beginCell(4);
    builder.write("e", {});
    expect(builder.text()).toBe(" | b |  |  | e");
  });

  it("ends where a cell has a paragraph of its own", () => {
    const builder = new TextBuilder(readLimits());
    builder.beginRow();
    builder.beginCell();
    builder.write("a", {});
    builder.beginCell(2);
    builder.separate("\n\n");
    builder.write("b", {});
    expect(builder.text()).toBe("a\n\nb");
  });
});
