/**
 * Answers marked on PDF pages, compared with the places of the words according to poppler: 50 quotes in ten PDFs made
 * by other programs (two columns, ligatures, hyphens, rotated pages, rotated text, quotes across lines and pages).
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as pdfjs from "pdfjs-dist/legacy/build/pdf.mjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPdf } from "../../adapters/node/documents/formats/pdf.js";
import { readLimits } from "../../adapters/node/documents/limits.js";
import { pagesOf } from "../../adapters/server/http/routes/originals.js";
import type { Document } from "../../src/types.js";
import { findQuote, isIndexedPage } from "../../web/src/pdf/find-quote.js";
import { glyphsOf, type OperatorNumbers } from "../../web/src/pdf/glyphs.js";
import { type Rectangle, rectanglesOf } from "../../web/src/pdf/rectangles.js";
import type { Font, Glyph, Point } from "../../web/src/pdf/text-state.js";
import { type ExpectedQuote, lettersOf, readQuotes, type WordBox } from "./pdfs/word-boxes.js";

const quotes = readQuotes();
const files = [...new Set(quotes.map(({ file }) => file))];
const documents = new Map<string, { document: Document; pdf: pdfjs.PDFDocumentProxy }>();

beforeAll(async () => {
  for (const file of files) {
    const path = fileURLToPath(new URL(`pdfs/${file}`, import.meta.url));
    const bytes = new Uint8Array(readFileSync(path));
    const input = { path, absolutePath: path, id: file, size: bytes.length, mtimeMs: 0 };
    const context = {
      input,
      name: file,
      limits: readLimits(),
      skipRecord: () => {},
      ocr: false,
      onPart: () => {},
      onRecognized: () => {},
      readPart: async () => [],
    };
    const [document] = await readPdf(bytes.slice(), context);
    const pdf = await pdfjs.getDocument({ data: bytes, isEvalSupported: false, verbosity: 0 }).promise;
    documents.set(file, { document: document!, pdf });
  }
});

afterAll(async () => {
  for (const { pdf } of documents.values()) await pdf.destroy();
});

/** The range of a quote in the extracted text; between its parts, the end of a page may have more. */
function rangeOf({ text }: Document, parts: readonly string[]): { start: number; end: number } {
  let letters = "";
  const from: number[] = [];
  for (let at = 0; at < text.length; at++) {
    for (const letter of lettersOf(text[at]!)) {
      letters += letter;
      from.push(at);
    }
  }
  const first = letters.indexOf(lettersOf(parts[0]!));
  const part = parts.at(-1)!;
  const last = letters.indexOf(lettersOf(part), first) + lettersOf(part).length - 1;
  const end = from[last]! + 1;
  const sign = /[^\p{L}\p{N}]*$/u.exec(part)![0];
  return { start: from[first]!, end: text.startsWith(sign, end) ? end + sign.length : end };
}

async function glyphsOfPage(
  file: string,
  number: number,
): Promise<{ glyphs: Glyph[]; toView: (point: Point) => Point }> {
  const page = await documents.get(file)!.pdf.getPage(number);
  const fontOf = (name: string): Font | undefined =>
    page.commonObjs.has(name) ? (page.commonObjs.get(name) as Font) : undefined;
  const glyphs = glyphsOf(await page.getOperatorList(), pdfjs.OPS as OperatorNumbers, fontOf);
  const viewport = page.getViewport({ scale: 1 });
  return { glyphs, toView: ([x, y]) => viewport.convertToViewportPoint(x, y) as [number, number] };
}

/** The rectangles of a quote, with their page. */
async function marksOf({ file, parts }: ExpectedQuote): Promise<{ page: number; rectangle: Rectangle }[]> {
  const { document } = documents.get(file)!;
  const { start, end } = rangeOf(document, parts);
  const marks: { page: number; rectangle: Rectangle }[] = [];
  for (const page of pagesOf(document.map, document.text.length)) {
    if (page.end <= start || page.start >= end) continue;
    const { glyphs, toView } = await glyphsOfPage(file, page.page);
    const text = document.text.slice(page.start, page.end);
    const range = { start: Math.max(0, start - page.start), end: Math.min(end, page.end) - page.start };
    const found = findQuote(
      glyphs.map((glyph) => glyph.text),
      { text, ...range },
    );
    if (found === undefined) continue;
    for (const rectangle of rectanglesOf(glyphs.slice(found.first, found.after), toView))
      marks.push({ page: page.page, rectangle });
  }
  return marks;
}

/** The share of a word's area that is inside the rectangles, which do not overlap. */
function covered([page, left, top, right, bottom]: WordBox, marks: Awaited<ReturnType<typeof marksOf>>): number {
  let area = 0;
  for (const { page: on, rectangle } of marks) {
    if (on !== page) continue;
    const width = Math.min(right, rectangle.right) - Math.max(left, rectangle.left);
    const height = Math.min(bottom, rectangle.bottom) - Math.max(top, rectangle.top);
    area += Math.max(0, width) * Math.max(0, height);
  }
  return area / ((right - left) * (bottom - top));
}

describe("an answer in a PDF", () => {
  it("is covered by its rectangles, and the words around it are not: at least 49 of 50", async () => {
    const wrong: string[] = [];
    const shares: [least: number, most: number][] = [];
    for (const quote of quotes) {
      const marks = await marksOf(quote);
      const least = Math.min(...quote.words.map((word) => covered(word, marks)));
      const most = Math.max(...quote.neighbours.map((word) => covered(word, marks)), 0);
      shares.push([least, most]);
      if (!(least >= 0.8 && most <= 0.2)) wrong.push(`${quote.file}: ${quote.parts.join(" … ")} (${least}, ${most})`);
    }
    if (process.env.SHOW_MARKS)
      console.log(shares.map((share) => share.map((it) => it.toFixed(2)).join("/")).join(" "));
    expect(quotes.length).toBe(50);
    expect(files.length).toBe(10);
    expect(wrong.slice(1)).toEqual([]);
  });

  it("is not marked on a page that does not have its words", async () => {
    const { glyphs } = await glyphsOfPage("cairo.pdf", 1);
    const page = glyphs.map(({ text }) => text);
    expect(findQuote(page, { text: "She bought a bottle of brandy.", start: 13, end: 29 })).toBeUndefined();
  });

  it("that occurs twice on a page is marked where the words around it are the same", () => {
    const page = [..."It rained in May. Then it rained in June, all day."];
    const text = "It rained in May.\n\nThen it rained\nin June, all day.";
    const start = text.lastIndexOf("rained");
    const found = findQuote(page, { text, start, end: start + "rained\nin".length })!;
    expect(page.slice(found.first, found.after).join("")).toBe("rained in");
    expect(found.first).toBe(page.join("").lastIndexOf("rained"));
  });

  it("is found whether accents are drawn as characters of their own or not", () => {
    const composed = [..."Le café (fermé) de Rémy".normalize("NFC")];
    const separate = [..."Le café (fermé) de Rémy".normalize("NFD")];
    for (const page of [composed, separate]) {
      for (const form of ["NFC", "NFD"] as const) {
        const text = "Le café (fermé) de Rémy".normalize(form);
        const answer = "café (fermé)".normalize(form);
        const start = text.indexOf(answer);
        const { first, after } = findQuote(page, { text, start, end: start + answer.length })!;
        expect(page.slice(first, after).join("").normalize("NFC")).toBe("café (fermé)".normalize("NFC"));
      }
    }
  });

  it("keeps signs that belong to it, and only those", () => {
    const page = [..."It costs ($5.2 m) or 7 %, he said."];
    const found = (answer: string): string => {
      const text = "It costs ($5.2 m) or 7 %, he said.";
      const start = text.indexOf(answer);
      const range = findQuote(page, { text, start, end: start + answer.length })!;
      return page.slice(range.first, range.after).join("");
    };
    for (const answer of ["$5.2 m", "($5.2 m)", "7 %", "7"]) expect(found(answer)).toBe(answer);
  });
});

describe("a page", () => {
  const lettersOn = async (file: string): Promise<string[]> =>
    (await glyphsOfPage(file, 1)).glyphs.map(({ text }) => text);

  it("is recognised as the one that was indexed by its own text, and not by that of another file", async () => {
    const page = await lettersOn("cairo.pdf");
    expect(isIndexedPage(page, page.join(""))).toBe(true);
    expect(isIndexedPage(page, (await lettersOn("two-columns.pdf")).join(""))).toBe(false);
    expect(isIndexedPage([], page.join(""))).toBe(true); // nothing shows that it has changed
  });

  it("is recognised if its letters are drawn from right to left", () => {
    const text = "המגדלור נבנה בשנת 1820 על ידי שומרי החוף";
    expect(isIndexedPage([...text].reverse(), text)).toBe(true);
  });
});
