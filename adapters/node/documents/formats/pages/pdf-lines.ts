/** Positioned pieces of text on a page of a PDF → its lines. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { PageLine } from "./page-lines.js";

/** A piece of text as pdf.js gives it, in reading order of the file. */
export interface PdfItem {
  str: string;
  /** Ends its line. */
  hasEOL: boolean;
  /** Glyph matrix [a, b, c, d, x, y], origin at the bottom left, units of 1/72 inch. */
  transform: number[];
  /** In the same unit. */
  width: number;
  /** Height of the line, in the same unit; 0 for pieces that only end a line. */
  height: number;
  fontName: string;
}

export function linesOfItems(items: readonly PdfItem[]): PageLine[] {
  const lines: PageLine[] = [];
  let open: PdfItem[] = [];
  const end = () => {
    const line = lineOf(open);
    if (line !== undefined) lines.push(line);
    open = [];
  };
  for (const item of items) {
    open.push(item);
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

function lineOf(items: readonly PdfItem[]): PageLine | undefined {
  const text = oneLine(items.map(({ str }) => str).join(""));
  const shown = items.filter(({ str }) => str.trim() !== "");
  const [first] = shown;
  if (text === "" || first === undefined) return undefined;
  const x = (item: PdfItem): number => item.transform[4]!;
  const longest = shown.reduce((best, item) => (item.str.length > best.str.length ? item : best), first);
  return {
    text,
    left: Math.min(...shown.map(x)),
    right: Math.max(...shown.map((item) => x(item) + item.width)),
    y: first.transform[5]!,
    height: Math.max(...shown.map(({ height }) => height)),
    font: longest.fontName,
  };
}
