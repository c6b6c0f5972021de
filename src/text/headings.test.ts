import { describe, expect, it } from "vitest";
import { headingAbove, headingRange, headingsAbove, storableHeadings } from "./headings.js";

const text = "Manual\n\nSafety\n\nUnplug it.\n\nValves\n\nSeats\n\nGrind them.\n\nParts\n\nBolt";
const range = (phrase: string) => ({ start: text.indexOf(phrase), end: text.indexOf(phrase) + phrase.length });
const headings = [
  { ...range("Manual"), level: 1 },
  { ...range("Safety"), level: 2 },
  { ...range("Valves"), level: 2 },
  { ...range("Seats"), level: 4 },
  { ...range("Parts"), level: 2 },
];
const above = (phrase: string): string | undefined => {
  const found = headingAbove(headings, text.indexOf(phrase));
  return found && text.slice(found.start, found.end);
};

describe("the heading above a place", () => {
  it("is the nearest one", () => {
    expect(["Unplug", "Grind", "Bolt"].map(above)).toEqual(["Safety", "Seats", "Parts"]);
  });

  it("is never the heading itself, but the one that it belongs to", () => {
    expect(["Manual", "Seats", "Parts"].map(above)).toEqual([undefined, "Valves", "Manual"]);
  });

  it("is undefined without headings, and before the first one", () => {
    expect(headingAbove([], 10)).toBeUndefined();
    expect(headingAbove([{ start: 5, end: 8, level: 1 }], 2)).toBeUndefined();
  });

  it("has others above it, the nearest first, up to a maximum", () => {
    const names = (phrase: string, max = 9) =>
      headingsAbove(headings, text.indexOf(phrase), max).map(({ start, end }) => text.slice(start, end));
    expect(names("Grind")).toEqual(["Seats", "Valves", "Manual"]);
    expect(names("Grind", 2)).toEqual(["Seats", "Valves"]);
    expect(names("Bolt")).toEqual(["Parts", "Manual"]);
    expect(names("Manual")).toEqual([]);
  });

  it("is cut where it is long", () => {
    expect(headingRange({ start: 3, end: 900, level: 1 })).toEqual({ start: 3, end: 203 });
  });
});

describe("storable headings", () => {
  it("are in the order of the text and inside of it", () => {
    const given = [
      { start: 0, end: 4, level: 1 },
      { start: 9, end: 12, level: 2 },
      { start: 5, end: 7, level: 2 },
      { start: 12, end: 40, level: 2 },
      { start: 13, end: 12, level: 2 },
      { start: 14, end: 16.5, level: 2 },
      { start: 15, end: 20, level: -1 },
      { start: 15, end: 20, level: 3 },
    ];
    expect(storableHeadings(given, 20)).toEqual([given[0], given[1], given[7]]);
  });
});
