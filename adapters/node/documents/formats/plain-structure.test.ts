import { describe, expect, it } from "vitest";
import { plainStructure } from "./plain-structure.js";

const page = (number: number, body: string) =>
  `${number === 1 ? "" : `\f\nRFC 9998               Parrot Transfer Protocol             January 1999\n\n\n`}${body}\n\n\n\nExample                     Standards Track                     [Page ${number}]\n`;
const contents = ["1. Introduction", "1.1. Scope", "2. Protocol", "3. Security", "Index"]
  .map((entry, i) => `   ${entry} ${". ".repeat(20)}  ${i + 2}`)
  .join("\n");
const rfc = [
  page(
    1,
    `Network Working Group                     N. Example\nRequest for Comments: 9998        Elsewhere\n\n             The Parrot Protocol\n             for Talking Devices\n\nTable of Contents\n\n${contents}`,
  ),
  page(
    2,
    "1.  Introduction\n\n   A parrot that is moved between devices keeps\n   its words for at least forty days after the day that the",
  ),
  page(3, "   transfer has ended.\n\n1.1.  Scope\n\n   All parrots."),
  page(4, "2.  Protocol\n\n   Ask the parrot, and wait."),
].join("");

/** The text as it is read. */
function kept(text: string): string {
  let at = 0;
  let result = "";
  for (const { start, end } of plainStructure(text).omitted) {
    result += text.slice(at, start);
    at = end;
  }
  return result + text.slice(at);
}

describe("plainStructure", () => {
  it("finds page breaks with their running heads, and joins a sentence across them", () => {
    const text = kept(rfc);
    expect(text).not.toMatch(/Page \d|RFC 9998|\f/);
    expect(text).toContain("day that the\n   transfer has ended.");
    expect(plainStructure(rfc).omitted.map(({ joins }) => joins)).toEqual([false, true, false, false]);
  });

  it("finds a table of contents, and leaves a price list alone", () => {
    expect(kept(rfc)).not.toMatch(/\. \. \.|Table of Contents/);
    const prices = ["Tea", "Coffee", "Soup", "Cake", "Bread", "Wine"].map(
      (name, i) => `${name} ........ ${[3, 4, 9, 5, 2, 8][i]}`,
    );
    expect(plainStructure(prices.join("\n")).omitted).toEqual([]);
  });

  it("gives an RFC its number and title, and its headings", () => {
    const { title, headings } = plainStructure(rfc);
    expect(title).toBe("RFC 9998: The Parrot Protocol for Talking Devices");
    expect(headings.map(({ start, end, level }) => [level, rfc.slice(start, end)])).toEqual([
      [1, "1.  Introduction"],
      [2, "1.1.  Scope"],
      [1, "2.  Protocol"],
    ]);
  });

  it.each([
    [
      "RESIDENTIAL LEASE\n\nFlat 2, Harbour Street\n\nThe landlord lets the flat.",
      "RESIDENTIAL LEASE: Flat 2, Harbour Street",
    ],
    ["Plum jam\n========\n\nFor six jars take plums.", "Plum jam"],
    ["From: Ana\nSubject: Rooms, again\n\nHello.", "Rooms, again"],
    ["The pump was built in 1911 and still runs.\n\nIt is blue.", ""],
    ["Dear Clara,\n\nwe landed at nine.", ""],
    ["name: value\nother: value\n\nx", ""],
    ["int main() {\n  return 0;\n}\n\nx", ""],
    ["README", ""],
    ["", ""],
  ])("finds the title of %j", (text, title) => {
    expect(plainStructure(text).title).toBe(title);
  });

  it("finds underlined headings, with levels in the order of their marks", () => {
    const text = "Manual\n======\n\nCare\n----\n\nGrease it.\n\nParts\n-----\n\nTwo.";
    expect(plainStructure(text).headings.map(({ start, end, level }) => [level, text.slice(start, end)])).toEqual([
      [1, "Manual"],
      [2, "Care"],
      [2, "Parts"],
    ]);
  });

  it("keeps a text with form feeds but without running heads whole", () => {
    expect(kept("one\n\ftwo\n\fthree\n")).toBe("one\n\ftwo\n\fthree\n");
  });
});
