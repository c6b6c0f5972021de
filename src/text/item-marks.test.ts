import { describe, expect, it } from "vitest";
import { beginsItem, blankMarks, markKind } from "./item-marks.js";

describe("beginsItem", () => {
  it.each(["• oil", "- oil", "3. Oil", "(b) oil", "iv) oil", "第一条 租金", "一、租金"])("is true for %j", (line) => {
    expect(beginsItem(line, "a line of more than forty characters that ends with and")).toBe(true);
  });

  it("is true for a clause or letter only where a sentence may begin", () => {
    const open = "The contract begins on the first day of the month and";
    for (const line of ["7.3 The rent", "a. the rent"]) {
      expect([beginsItem(line, open), beginsItem(line, `${open} ends.`), beginsItem(line, "")]).toEqual([
        false,
        true,
        true,
      ]);
    }
  });

  it.each(["The rent", "7.3", "7.3 million", "a.b", "i.e. rent", "4 rooms", "z. B. oil", "p. 7"])(
    "is false for %j",
    (line) => {
      expect(beginsItem(line, "")).toBe(false);
    },
  );
});

it("marks are of one kind if they may be items of one list", () => {
  const kinds = (...lines: string[]) => new Set(lines.map(markKind)).size;
  expect([
    kinds("1. a", "12. b"),
    kinds("(a) x", "(b) y"),
    kinds("7.1 A", "7.4 B"),
    kinds("第一条", "第十二条"),
  ]).toEqual([1, 1, 1, 1]);
  expect([kinds("1. a", "1) b"), kinds("7.1 A", "8.1 B"), kinds("• a", "a. b")]).toEqual([2, 2, 2]);
  expect(markKind("no mark")).toBeUndefined();
});

describe("blankMarks", () => {
  it("takes the marks of lists away, and keeps every offset", () => {
    expect(
      blankMarks("To drain:\n  1. Close 1.\r\n  2. Tilt\n7.3 The rent\n\n7.4 The bill\n第一条 租金\n第二条 押金\n"),
    ).toBe("To drain:\n     Close 1.\r\n     Tilt\n    The rent\n\n    The bill\n    租金\n    押金\n");
  });

  it.each([
    "Der Vertrag endet am\n3. Mai 2024.",
    "It has to be kept all year at a temperature of about\n- 18 degrees\n- 20 degrees",
    "the pressure is\n> 5 bar\n> 6 bar",
    "根据\n第三条规定",
    "Nach der Abrechnung vom Mai beläuft sich der Betrag auf\n1.200 Euro. Im Jahr davor waren es nach der Abrechnung nur\n1.100 Euro.",
  ])("keeps %j", (text) => {
    expect(blankMarks(text)).toBe(text);
  });
});
