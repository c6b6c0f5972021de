import { describe, expect, it } from "vitest";
import { splitBlocks } from "./blocks.js";

const blocksOf = (text: string) =>
  [...splitBlocks(text, 0, text.length)].map(({ start, end }) => text.slice(start, end));

describe("splitBlocks", () => {
  it.each([
    ["The rent\n7.3 The tenant pays it.\n7.4.1 Late rent is charged."],
    ["a. the deposit\nb. the rent\niv) the costs"],
    ["• oil\n☑ water\n(b) bread"],
    ["第一条 租金\n第二条 押金"],
    [
      "2001 | Portland Timbers | 4th of the western division\n2002 | Portland Timbers | 2nd of the pacific division, out in the first round",
    ],
  ])("separates the items or rows of %j", (text) => {
    expect(blocksOf(text)).toEqual(text.split("\n"));
  });

  it.each([
    ["The harbour moved about\n7.3 million tons that year, which is more than it ever moved before."],
    ["Der Betrag beläuft sich nach der Abrechnung vom Mai auf insgesamt\n1.200 Euro im Jahr, zahlbar in zwei Raten."],
    ["El seguro cubre los daños por agua y los de los aparatos, todo\np. ej. Lavadoras y otras máquinas de la casa."],
    ["Der Betrag wird mit der Miete verrechnet, und zwar\nz. B. im Januar des Jahres, das auf das Ende folgt."],
    [
      "Each name is listed once if the output goes through sort | uniq, which\nremoves the lines that are the same as the one before them.",
    ],
    ["It was written down, as one can see on\np. 7 of the second volume of the letters that he left behind."],
  ])("keeps the lines of %j together", (text) => {
    expect(blocksOf(text)).toEqual([text]);
  });
});
