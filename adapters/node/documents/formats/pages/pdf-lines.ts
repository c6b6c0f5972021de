/** Positioned pieces of text on a page of a PDF → its lines. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { PageLine, PagePiece } from "./page-lines.js";

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

/** @param monospace  names of fonts whose letters have one width */
export function linesOfItems(items: readonly PdfItem[], monospace: ReadonlySet<string> = new Set()): PageLine[] {
  const lines: PageLine[] = [];
  let open: PdfItem[] = [];
  const end = () => {
    const line = lineOf(open);
    if (line !== undefined) lines.push(monospace.has(line.font) ? { ...line, isMonospace: true } : line);
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
  const pieces = piecesOf(shown);
  const fonts = new Set(shown.map(({ fontName }) => fontName));
  return {
    text,
    left: Math.min(...pieces.map(({ left }) => left)),
    right: Math.max(...pieces.map(({ right }) => right)),
    y: first.transform[5]!,
    height: Math.max(...shown.map(({ height }) => height)),
    font: fonts.size === 1 ? first.fontName : "",
    ...(pieces.length > 1 ? { pieces } : {}),
  };
}

/** Pieces with a smaller gap, in line heights, are one word. */
const MIN_GAP = 0.1;

function piecesOf(shown: readonly PdfItem[]): PagePiece[] {
  const pieces: PagePiece[] = [];
  for (const { str, width, height, transform } of shown) {
    const left = transform[4]!;
    const right = left + width;
    const last = pieces.at(-1);
    if (last !== undefined && Math.abs(left - last.right) <= MIN_GAP * height) {
      last.text += str;
      last.right = right;
    } else pieces.push({ text: str, left, right });
  }
  return pieces;
}
