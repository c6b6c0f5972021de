import { describe, expect, it } from "vitest";
import { Outline } from "./outline.js";

const text = "Manual\n\nSafety\n\nUnplug it.\n\nValves\n\nSeats\n\nGrind them.\n\nParts\n\nName | Torque\nBolt | 40 Nm";
const range = (phrase: string) => ({ start: text.indexOf(phrase), end: text.indexOf(phrase) + phrase.length });
const document = {
  text,
  headings: [
    { ...range("Manual"), level: 1 },
    { ...range("Safety"), level: 2 },
    { ...range("Valves"), level: 2 },
    { ...range("Seats"), level: 4 },
    { ...range("Parts"), level: 2 },
  ],
  tables: [{ ...range("Bolt | 40 Nm"), header: "Name | Torque" }],
};
const pathOf = (phrase: string) => new Outline(document).headingPath(text.indexOf(phrase));

describe("the heading path", () => {
  it("gives the nearest heading of each level, outermost first", () => {
    expect(pathOf("Unplug")).toEqual(["Manual", "Safety"]);
    expect(pathOf("Grind")).toEqual(["Manual", "Valves", "Seats"]);
    expect(pathOf("Bolt")).toEqual(["Manual", "Parts"]);
  });

  it("does not count a heading as above itself", () => {
    expect(pathOf("Manual")).toEqual([]);
    expect(pathOf("Seats")).toEqual(["Manual", "Valves"]);
  });

  it("is empty without headings", () => {
    expect(new Outline({ text }).headingPath(10)).toEqual([]);
  });

  it("cuts a long heading and puts it on one line", () => {
    const long = `${"a\n".repeat(300)}text`;
    expect(new Outline({ text: long, headings: [{ start: 0, end: 600, level: 1 }] }).headingPath(601)).toEqual([
      "a ".repeat(100),
    ]);
  });
});

describe("the table header", () => {
  it("is that of the rows at the offset, and of nothing else", () => {
    expect(new Outline(document).tableHeader(text.indexOf("40 Nm"))).toBe("Name | Torque");
    expect(new Outline(document).tableHeader(text.indexOf("Parts"))).toBeUndefined();
    expect(new Outline({ text }).tableHeader(3)).toBeUndefined();
  });
});
