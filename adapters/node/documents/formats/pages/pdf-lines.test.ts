import { describe, expect, it } from "vitest";
import { linesOfItems, type PdfItem } from "./pdf-lines.js";

const item = (str: string, left: number, { y = 700, height = 10, turn = 0 } = {}): PdfItem => ({
  str,
  hasEOL: false,
  transform: [height, turn, 0, height, left, y],
  width: 5 * str.length,
  height,
  fontName: "f",
});
const textOf = (...items: PdfItem[]) => linesOfItems(items)[0]!.text;

describe("raised digits", () => {
  it("after a word or number are superscript", () => {
    const raised = { y: 704, height: 7 };
    expect(textOf(item("10", 50), item("-6", 60, raised), item(" mbar", 70))).toBe("10⁻⁶ mbar");
    expect(textOf(item("euros", 50), item("1", 75, raised), item("2", 80, raised), item(" in", 85))).toBe("euros¹² in");
  });

  it.each([
    ["of the same size", { y: 704 }],
    ["lowered", { y: 697, height: 7 }],
    ["of the line above", { y: 712, height: 7 }],
    ["turned", { y: 704, height: 7, turn: 7 }],
  ])("are digits if they are %s", (_what, options) => {
    expect(textOf(item("H", 50), item("2", 55, options))).toBe("H2");
  });

  it("are digits at the beginning of a line, after a gap, and with other text", () => {
    const raised = { y: 704, height: 7 };
    expect(textOf(item("1", 50, raised), item("A note", 55))).toBe("1A note");
    expect(textOf(item("10", 50), item("6", 90, raised))).toBe("106");
    expect(textOf(item("5", 50), item("th", 55, raised))).toBe("5th");
  });
});
