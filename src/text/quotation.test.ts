/** A quotation is found where it was copied from, however it was retyped; one with a changed word is not. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText } from "./fold.js";
import { Quotation } from "./quotation.js";

const seeded = { seed: 20261121, numRuns: 500 };
const WORDS = [
  "The",
  "tower",
  "of",
  "Skarn",
  "“hill”",
  "it's",
  "co-operates",
  "1911",
  "déjà",
  "vu",
  "Straße",
  "Ἀθῆναι",
  "naïve",
  "東京",
  "😀",
];
const SPACES = [" ", "\n", "  ", "\t", "\u00a0", " \r\n "];

/** Words and the spaces between them; as many spaces as words, the last one unused. */
const words = fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SPACES)), {
  minLength: 3,
  maxLength: 30,
});
const cut = fc.tuple(words, fc.nat(), fc.nat()).map(([list, a, b]) => {
  const from = a % list.length;
  const to = from + 1 + (b % (list.length - from));
  const write = (part: typeof list): string =>
    part.map(([word, space], n) => (n < part.length - 1 ? word + space : word)).join("");
  const text = write(list);
  const start = list.slice(0, from).reduce((sum, [word, space]) => sum + word.length + space.length, 0);
  const quotation = write(list.slice(from, to));
  return { text, start, end: start + quotation.length, quotation, words: list.slice(from, to).map(([word]) => word) };
});

/** Retypes a text: different white space, straight or curly quotes, case and Unicode normalisation. */
const typedOff = (quotation: string): fc.Arbitrary<string> =>
  fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }).map((choices) => {
    const choose = (n: number): number => choices[n % choices.length]!;
    return quotation
      .split(/(\s+)/)
      .map((piece, n) => {
        if (/^\s+$/.test(piece)) return SPACES[choose(n)]!;
        const form =
          [piece, piece.toUpperCase(), piece.toLowerCase(), piece.normalize("NFD"), piece.normalize("NFC")][
            choose(n)
          ] ?? piece;
        if (/ß/.test(piece)) return piece; // SS is a different spelling, not a different case
        return form.replace(/[“”]/g, choose(n) > 2 ? '"' : "„").replace(/'/g, choose(n + 1) > 2 ? "’" : "'");
      })
      .join("");
  });

const has = (places: readonly { start: number; end: number }[], start: number, end: number): boolean =>
  places.some((place) => place.start === start && place.end === end);

describe("Quotation.find", () => {
  it("finds a quotation exactly where it was copied from", () => {
    fc.assert(
      fc.property(cut, ({ text, quotation, start, end }) => {
        const found = new Quotation(quotation).findIn(text, { limit: 1000 });
        expect(found?.exact).toBe(true);
        expect(has(found!.places, start, end)).toBe(true);
        const oneLine = (it: string): string => it.replace(/([ \t]*\r?\n)+[ \t]*/g, " ");
        for (const place of found!.places) expect(oneLine(text.slice(place.start, place.end))).toBe(oneLine(quotation));
      }),
      seeded,
    );
  });

  it("finds a retyped quotation at the same place and calls it exact only if it is", () => {
    fc.assert(
      fc.property(
        cut.chain((it) => fc.tuple(fc.constant(it), typedOff(it.quotation))),
        ([{ text, start, end }, typed]) => {
          const found = new Quotation(`  ${typed}\n`).findIn(text, { limit: 1000 });
          expect(found).toBeDefined();
          const oneLine = (it: string): string => it.trim().replace(/([ \t]*\r?\n)+[ \t]*/g, " ");
          if (oneLine(text).includes(oneLine(typed))) return;
          expect(found!.exact).toBe(false);
          expect(has(found!.places, start, end)).toBe(true);
        },
      ),
      seeded,
    );
  });

  it("does not find a quotation with a changed, missing or truncated word", () => {
    fc.assert(
      fc.property(cut, fc.nat(), fc.constantFrom("bridge", "Tower2", ""), ({ text, words: quoted }, at, other) => {
        const changed = quoted.map((word, n) => (n === at % quoted.length ? other : word)).join(" ");
        const plain = (it: string): string => it.toLowerCase().replace(/\s+/g, " ");
        if (changed.trim() === "" || plain(text).includes(plain(changed).trim())) return;
        expect(new Quotation(changed).findIn(text)).toBeUndefined();
      }),
      seeded,
    );
  });

  it.each([
    ["was found", "It was founded in 1911.", false],
    ["founded in 191", "It was founded in 1911.", false],
    ["ounded", "It was founded in 1911.", false],
    ["founded in 1911", "It was founded in 1911.", true],
    ["e", "cafe\u0301", false],
    ["cafe", "cafe\u0301", false],
    ["café", "cafe\u0301 noir", true],
    ["fi", "ﬁn", false],
    ["fin", "the ﬁn", true],
    ["wait...", "wait… what", true],
    ["京は", "東京は首都", true],
    ["co\u00adoperate", "We cooperate.", true],
    ["a - b", "a — b", true],
    ["the report", "the re-\nport", true],
    ["well known", "a well-known fact", true],
    ["nowhere", "now here", false],
    ["3 5", "3–5", false],
    ["is 5 degrees", "is −5 degrees", false],
    ["efficient", "an eﬃcient way", true],
    ["[T]he tower", "the tower", true],
    ["he said 'no, thanks' twice", "he said “no, thanks” twice", true],
    ["« Le pont »", "“Le pont”", true],
    ["end. Then", "the end.Then on", true],
    ["tiếng Việt", "tiê\u0301ng Viê\u0323t Nam", true],
    ["tiê\u0301ng Viê\u0323t", "tiếng Việt Nam", true],
    ["Viet", "Viê\u0323t", false],
    ["Viêt", "Viê\u0323t", false],
    ["\u0643\u0651\u064e\u0631", "\u0643\u064e\u0651\u0631", true],
    ["葛城", "葛\u{e0100}城\u{e0100}", true],
    ["5 mg per day", "The dose is 0.5 mg per day.", false],
    ["costs $1", "It costs $1.50.", false],
    ["costs $1", "It costs $1.", true],
    ["costs $1", "It costs $1.² The rest is free.", true],
    ["400 people", "The town has 12,400 people.", false],
    ["5 °C in the cellar", "It falls to -5 °C in the cellar.", false],
    ["-5 °C in the cellar", "It falls to −5 °C in the cellar.", true],
    ["15 % less", "It is 12–15 % less.", true],
    ["The operator can", "The operator can't stop.", false],
    ["toxic when hot", "It is non-toxic when hot.", false],
    ["bob@example.org", "Write to jim.bob@example.org.", false],
    ["jim.bob@example", "Write to jim.bob@example.org.", false],
    ["jim.bob@example.org", "Write to jim.bob@example.org.", true],
    ["scope has soft", "A micro\u00adscope has soft\u00adhyphens.", false],
    ["microscope has", "A micro\u00adscope has soft\u00adhyphens.", true],
    ["profit was $3.4 million", "The profit was -$3.4 million.", false],
    ["profit was -$3.4 million", "The profit was −$3.4 million.", true],
    ["holds 106 cells", "It holds 10⁶ cells.", false],
    ["holds 10⁶ cells", "It holds 10⁶ cells.", true],
    ["40 m2 of land", "It has 40 m² of land.", true],
    ["[A] house was built", "Then a house was built.", true],
  ])("%j in %j: %s", (quotation, text, expected) => {
    expect(new Quotation(quotation).findIn(text) !== undefined).toBe(expected);
  });

  it.each([
    ["so far as the tower", "so far as  \n\tthe tower", true],
    ["so far as\nthe tower", "so far as the tower", true],
    ["so far  as", "so far as", false],
    ["so far\u00a0as", "so far as", false],
    ["(a.b) [c]* $d", "x (a.b)\n[c]*\r\n$d", true],
    ["a  \n  b", "a\n\nb", true],
    ["a  b", "a \n b", false],
  ])("%j is exactly in %j: %s", (quotation, text, exact) => {
    expect(new Quotation(quotation).findIn(text)!.exact).toBe(exact);
  });

  it("gives the range of a character with all its marks", () => {
    const text = "Nước Viê\u0323t\u0301\ufe00 Nam";
    const found = new Quotation("Việt\u0301").findIn(text);
    expect(found).toEqual({ exact: false, places: [{ start: 5, end: 12 }] });
    expect(text.slice(5, 12)).toBe("Viê\u0323t\u0301\ufe00");
  });

  it("finds nothing before a given offset", () => {
    const text = "The mill, the Mill, the mill.";
    const forms = { folded: () => foldText(text), withoutMarks: () => undefined };
    const mill = new Quotation("the mill");
    expect(mill.findIn(text)!.places).toEqual([{ start: 20, end: 28 }]);
    expect([0, 1, 11].map((from) => mill.firstIn(text, { from, ...forms })!)).toEqual([
      { start: 0, end: 8, exact: false },
      { start: 10, end: 18, exact: false },
      { start: 20, end: 28, exact: true },
    ]);
    expect(mill.findIn(text, { from: 21 })).toBeUndefined();
    expect(mill.firstIn(text, { from: 21, ...forms })).toBeUndefined();
    expect(new Quotation("The Mill").findIn(text, { from: 1 })!.places).toEqual([
      { start: 10, end: 18 },
      { start: 20, end: 28 },
    ]);
  });

  it("returns at most the requested number of ranges, overlapping ones included, and none for an empty quotation", () => {
    expect(new Quotation("a a").findIn("a a a a")!.places).toHaveLength(3);
    expect(new Quotation("a a").findIn("a a a a", { limit: 2 })!.places).toHaveLength(2);
    expect(new Quotation(" \u200b\n").isEmpty).toBe(true);
    expect(new Quotation("").findIn("text")).toBeUndefined();
  });

  it("accepts any text and never splits a character", () => {
    const any = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(any, any, fc.nat(), fc.nat(), (text, other, a, b) => {
        const from = a % (text.length + 1);
        for (const quotation of [other, text.slice(from, from + (b % 20))]) {
          for (const { start, end } of new Quotation(quotation).findIn(text)?.places ?? []) {
            expect(end).toBeGreaterThan(start);
            for (const at of [start, end])
              expect(/[\ud800-\udbff]$/.test(text.slice(0, at)) && /^[\udc00-\udfff]/.test(text.slice(at))).toBe(false);
          }
        }
      }),
      { ...seeded, numRuns: 500 },
    );
  });

  it("finds a quotation of many short words", () => {
    const text = "one two\n".repeat(10_000).trim();
    expect(new Quotation(text).findIn(text.replaceAll("\n", " "))).toEqual({
      exact: true,
      places: [{ start: 0, end: text.length }],
    });
  });
});
