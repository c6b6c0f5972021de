/** Positioned pieces of text on a page of a PDF → its lines. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import { superscriptDigits } from "../superscript.js";
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

function lineOf(source: readonly PdfItem[]): PageLine | undefined {
  const items = withSuperscripts(source);
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

/** Raised digits are at most this high, in heights of the text before them, … */
const MAX_RAISED_HEIGHT = 0.9;
/** … are between these distances above its baseline, … */
const MIN_RAISE = 0.2;
const MAX_RAISE = 0.8;
/** … and follow it without a space. */
const MAX_RAISED_GAP = 0.15;

/** The pieces of a line, with raised digits and signs in superscript characters. */
function withSuperscripts(items: readonly PdfItem[]): readonly PdfItem[] {
  let base: PdfItem | undefined;
  let right = 0;
  return items.map((item) => {
    if (item.str.trim() === "") return item;
    const isRaised = base !== undefined && isRaisedFrom(base, item, right);
    right = item.transform[4]! + item.width;
    if (isRaised) return { ...item, str: superscriptDigits(item.str) };
    base = item;
    return item;
  });
}

/** @param right  where the text before the item ends */
function isRaisedFrom(base: PdfItem, { transform, height }: PdfItem, right: number): boolean {
  // In turned text, y is not the baseline.
  if (base.transform[1] !== 0 || transform[1] !== 0) return false;
  const raise = (transform[5]! - base.transform[5]!) / base.height;
  const gap = Math.abs(transform[4]! - right) / base.height;
  return height <= MAX_RAISED_HEIGHT * base.height && raise >= MIN_RAISE && raise <= MAX_RAISE && gap <= MAX_RAISED_GAP;
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
