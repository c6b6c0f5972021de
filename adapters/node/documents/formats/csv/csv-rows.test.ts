import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readableRows } from "./csv-rows.js";

async function* inPieces(text: string, units: number) {
  for (let at = 0; at < text.length; at += units) yield text.slice(at, at + units);
}

async function read(text: string, { maxUnits = 1000, pieceUnits = 7 } = {}) {
  const skips: [line: number, problem: string][] = [];
  const onSkip = (line: number, problem: string) => skips.push([line, problem]);
  let readable = "";
  for await (const piece of readableRows(inPieces(text, pieceUnits), {
    delimiter: ",",
    quotes: true,
    maxUnits,
    onSkip,
  }))
    readable += piece;
  return { readable, skips };
}

const rowsOf = (text: string): string[][] =>
  parse(text, { record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true, relax_quotes: true });

const csvText = fc
  .array(fc.constantFrom("a", ",", '"', '"', "\n", "\r\n", "\r"), { maxLength: 40 })
  .map((parts) => parts.join(""));
const pieceUnits = fc.integer({ min: 1, max: 9 });

describe("the rows of a CSV file before they are parsed", () => {
  it("are the file, unless a quote is open at its end", async () => {
    await fc.assert(
      fc.asyncProperty(csvText, pieceUnits, async (text, pieceUnits) => {
        const { readable, skips } = await read(text, { pieceUnits });
        if (skips.length === 0) {
          expect(readable).toBe(text);
          rowsOf(text);
        } else {
          expect(() => rowsOf(text)).toThrow("Quote Not Closed");
          expect(text.startsWith(readable)).toBe(true);
          const line = rowsOf(readable).reduce((at, row) => at + 1 + row.join().split(/\r\n|\n|\r/).length - 1, 1);
          expect(skips).toEqual([[line, "open-quote"]]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("are the same without a row that is too long, and keep their lines", async () => {
    const row = fc.constantFrom("a,b", '"a\nb",c', '"a""b"', "", 'a"b', '"a"b,"c,\r\nd"', "a\u2028");
    const end = fc.constantFrom("\n", "\r\n");
    const rows = fc.array(fc.tuple(row, end, fc.boolean()), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rows, pieceUnits, async (rows, pieceUnits) => {
        const longRow = `"${"x".repeat(50)}\r\n\n${"y".repeat(50)}",z`;
        const text = rows.map(([row, end, isLong]) => (isLong ? longRow : row) + end).join("");
        const { readable, skips } = await read(text, { maxUnits: 99, pieceUnits });
        const expected = rows.map(([row, end, isLong]) => (isLong ? "\n\n\n" : row + end)).join("");
        expect(readable).toBe(expected);
        expect(skips).toHaveLength(rows.filter(([, , isLong]) => isLong).length);
      }),
    );
  });

  it.each([1, 3, 64])("say where a row begins that is left out, in pieces of %d", async (pieceUnits) => {
    const text = `a,b\n"c\nd",e\n${"x".repeat(30)},f\r\n1,2\n"${"y\n".repeat(15)}z"\r3,"4`;
    expect(await read(text, { maxUnits: 20, pieceUnits })).toEqual({
      readable: `a,b\n"c\nd",e\n\n1,2\n${"\n".repeat(16)}`,
      skips: [
        [4, "is-long"],
        [6, "is-long"],
        [22, "open-quote"],
      ],
    });
  });

  it("may be as long as the limit", async () => {
    expect(await read("12345\n12345", { maxUnits: 5 })).toEqual({ readable: "12345\n12345", skips: [] });
    expect(await read("12345\n123456", { maxUnits: 5 })).toEqual({ readable: "12345\n", skips: [[2, "is-long"]] });
  });
});
