import { describe, expect, it } from "vitest";
import { namedCells } from "./table-rows.js";

const named = (text: string, from?: number): string[] =>
  namedCells(text, from).map(({ start, end, column }) => `${column}=${text.slice(start, end)}`);

describe("named cells", () => {
  const table = "Year | Team | Goals\n2001 | Timbers | 7\n2002 |  | 9";

  it("are those below the first row, without empty ones", () => {
    expect(named(`Results:\n${table}\nThe end.`)).toEqual([
      "Year=2001",
      "Team=Timbers",
      "Goals=7",
      "Year=2002",
      "Goals=9",
    ]);
  });

  it("begin at the offset that is asked for, or later", () => {
    expect(named(table, table.indexOf("2002"))).toEqual(["Year=2002", "Goals=9"]);
    expect(named(table, table.indexOf("Timbers"))).toEqual(["Team=Timbers", "Goals=7", "Year=2002", "Goals=9"]);
  });

  it("have the names of their own table", () => {
    expect(named(`${table.slice(0, 38)}\n\nName | Price | Stock\nrope | 3.50 | 12`)).toEqual([
      "Year=2001",
      "Team=Timbers",
      "Goals=7",
      "Name=rope",
      "Price=3.50",
      "Stock=12",
    ]);
  });

  it("may be fewer than the first row has", () => {
    expect(named("Year | Team | Goals\n2001 | Timbers")).toEqual(["Year=2001", "Team=Timbers"]);
  });

  it("may have years as names, and no name in the first column", () => {
    expect(named(" | 2021 | 2022\nrevenue | 3 | 4")).toEqual(["2021=3", "2022=4"]);
  });

  it.each([
    ["two columns", "Name | Value\nweight | 3 kg"],
    ["values in the first row", "rope | 3.50 | 12\nnail | 0.02 | 900"],
    ["an empty cell in the first row", "Year |  | Goals\n2001 | Timbers | 7"],
    ["the same text twice in the first row", "Year | Goals | Goals\n2001 | 3 | 7"],
    ["a long text in the first row", `Year | ${"long ".repeat(20)} | Goals\n2001 | 3 | 7`],
    ["longer rows", "Year | Team | Goals\n2001 | Timbers | 7 | 3"],
    ["a single row", "Year | Team | Goals"],
    ["no cells", "Year: 2001"],
    ["no text", ""],
  ])("do not exist with %s", (_, text) => {
    expect(named(text)).toEqual([]);
  });
});
