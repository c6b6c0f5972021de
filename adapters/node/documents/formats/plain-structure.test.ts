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

  it("keeps lines at page breaks that differ in digits", () => {
    const invoices = [1, 2, 3, 4]
      .map((i) => `Invoice number: ${1000 + i}\nDate: 2026-0${i}-15\n\nWe sent the goods.\n\nTotal due: ${7 * i}.50\n`)
      .join("\f\n");
    for (let i = 1; i <= 4; i++) {
      expect(kept(invoices)).toContain(`Invoice number: ${1000 + i}\nDate: 2026-0${i}-15`);
      expect(kept(invoices)).toContain(`Total due: ${7 * i}.50`);
    }
    const days = [1, 2, 3, 4].map((i) => `Day ${i}\n\nWe walked.\n\n${1200 + 7 * i}\n`).join("\f\n");
    expect(kept(days).match(/Day \d/g)).toHaveLength(4);
    expect(kept(days).match(/12\d\d/g)).toHaveLength(4);
  });

  it("finds page numbers, and heads with one in a column", () => {
    const text = [1, 2, 3, 4]
      .map((i) => `Lamp keeper's manual                    ${i}\n\nTrim the wick.\n\n- ${i} -\n`)
      .join("\f\n");
    expect(kept(text)).not.toMatch(/- \d -/);
    expect(kept(text).match(/Lamp keeper's manual +\d/g)).toHaveLength(1);
  });

  it("keeps a sentence that repeats at page breaks where it comes first", () => {
    const text = [1, 2, 3, 4].map((i) => `Lamp ${"abcd"[i - 1]} is lit.\n\nPay within 30 days.\n`).join("\f\n");
    expect(kept(text).match(/Pay within 30 days/g)).toHaveLength(1);
  });

  it("keeps a head of one word and a number, and an amount that is alone on a line", () => {
    const text = [1, 2, 3, 4].map((i) => `Lot ${i}\n\nA lamp.\n\n${350 * i}\n`).join("\f\n");
    expect(kept(text).replace(/\s+/g, " ")).toBe(text.replace(/\s+/g, " "));
  });

  it("keeps lists with numbers that ascend, unless they are a table of contents", () => {
    const names = ["Reception", "Kitchen", "Housekeeping", "Spa", "Garage", "Manager"];
    const list = names.map((name, i) => `${name} ........ ${100 + 5 * i}`).join("\n");
    expect(kept(`Phone list\n\n${list}\n\nCall the manager only in emergencies.\n`)).toContain(list);
    expect(kept(`Inhalt\n\n${list}\n\nText.\n`)).not.toMatch(/\.{4}|Inhalt/);
    const headings = names.map((name, i) => `${i + 1}. ${name}\n\nText.\n`).join("\n");
    expect(kept(`Guide\n\n${list}\n\n${headings}`)).not.toMatch(/\.{4}/);
  });

  it("finds the headings between many page breaks, and none in what is left out", () => {
    const pages = Array.from({ length: 50 }, (_, i) => page(i + 1, `${i + 1}.  Chapter\n\n   All parrots.`));
    const text = pages.join("").replaceAll("RFC 9998 ", "1. Parrots");
    const { headings, omitted } = plainStructure(text);
    expect(omitted.length).toBeGreaterThanOrEqual(49);
    expect(headings.map(({ start, end }) => text.slice(start, end))).toEqual(pages.map((_, i) => `${i + 1}.  Chapter`));
  });

  it("keeps a text with form feeds but without running heads whole", () => {
    expect(kept("one\n\ftwo\n\fthree\n")).toBe("one\n\ftwo\n\fthree\n");
  });
});
