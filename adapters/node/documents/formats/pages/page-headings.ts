/** Headings of pages, by the size of their letters and by their font. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { PageLine, TextPage } from "./page-lines.js";

/** Letters of a heading are larger than those of the text by at least this factor. */
const LARGER = 1.12;
/** Longer lines are text in large letters. */
const MAX_UNITS = 150;
/** A document with a larger share of its text in large letters is a poster or has slides: size says nothing there. */
const MAX_SHARE = 0.25;
const MAX_LEVEL = 6;
/** "2.1 Care", alone in a font that differs from the text's. */
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s\p{Lu}.{1,80}$/u;

/** Longer lines in another font are emphasised text. */
const MAX_FONT_UNITS = 80;
/** A line of this length below a heading is text, and not another short line. */
const MIN_TEXT_UNITS = 40;
/** A heading is at least this many line heights below the text before it. */
const MIN_GAP = 1.4;
/** A heading begins at most this far, in line heights, from the text below it. */
const MAX_SHIFT = 3;
/** A font with a larger share of the text is not only for headings. */
const MAX_FONT_SHARE = 0.2;
/** One line in a font of its own is emphasis; several lines of that kind are headings. */
const MIN_LINES = 2;
const CAPTION = /^(?:figure|fig\.|table|chart|listing|box|plate|abbildung|abb\.|tabelle|tableau)\s*\d/iu;

export interface TextStyle {
  /** Size of most of the text, in 1/72 inch; 0 if it is not known. */
  height: number;
  font: string;
}

/** Size and font of most of the letters. */
export function bodyStyle(pages: readonly TextPage[]): TextStyle {
  const heights = new Map<number, number>();
  const fonts = new Map<string, number>();
  for (const { text, height, font } of linesOf(pages)) {
    const rounded = roundedHeight(height);
    heights.set(rounded, (heights.get(rounded) ?? 0) + text.length);
    fonts.set(font, (fonts.get(font) ?? 0) + text.length);
  }
  return { height: mostOf(heights) ?? 0, font: mostOf(fonts) ?? "" };
}

/** The level of each line that is a heading, 1 for the largest letters. */
export function headingLevels(pages: readonly TextPage[], body: TextStyle): Map<PageLine, number> {
  const levels = new Map<PageLine, number>();
  if (body.height === 0) return levels;
  const large = linesOf(pages).filter(
    ({ text, height }) => height >= body.height * LARGER && text.length <= MAX_UNITS && /\p{L}{2}|\d/u.test(text),
  );
  const units = (lines: readonly PageLine[]): number => lines.reduce((sum, { text }) => sum + text.length, 0);
  const sizes = [...new Set(large.map(({ height }) => roundedHeight(height)))].sort((a, b) => b - a);
  if (units(large) <= MAX_SHARE * units(linesOf(pages))) {
    for (const line of large) levels.set(line, Math.min(MAX_LEVEL, sizes.indexOf(roundedHeight(line.height)) + 1));
  }
  for (const line of linesOf(pages)) {
    if (levels.has(line) || line.font === body.font || line.font === "" || line.height < body.height * 0.95) continue;
    const [, numbers] = NUMBERED.exec(line.text) ?? [];
    if (numbers === undefined || /[.,;]$/.test(line.text)) continue;
    levels.set(line, Math.min(MAX_LEVEL, Math.min(sizes.length, 2) + numbers.split(".").length));
  }
  for (const line of linesInOwnFont(pages, body)) {
    if (!levels.has(line)) levels.set(line, Math.min(MAX_LEVEL, Math.min(sizes.length, 2) + 1));
  }
  return levels;
}

/**
 * Short lines above text, of the text's size, in a font that occurs in such lines again and again: mostly bold ones.
 */
function linesInOwnFont(pages: readonly TextPage[], body: TextStyle): PageLine[] {
  const byFont = new Map<string, PageLine[]>();
  for (const { lines } of pages) {
    for (const [i, line] of lines.entries()) {
      if (!isInOwnFont(line, { before: lines[i - 1], next: lines[i + 1], body })) continue;
      const same = byFont.get(line.font);
      if (same === undefined) byFont.set(line.font, [line]);
      else same.push(line);
    }
  }
  const units = new Map<string, number>();
  let total = 0;
  for (const { font, text } of linesOf(pages)) {
    units.set(font, (units.get(font) ?? 0) + text.length);
    total += text.length;
  }
  return [...byFont].flatMap(([font, lines]) =>
    lines.length >= MIN_LINES && units.get(font)! <= MAX_FONT_SHARE * total ? lines : [],
  );
}

function isInOwnFont(
  line: PageLine,
  { before, next, body }: { before: PageLine | undefined; next: PageLine | undefined; body: TextStyle },
): boolean {
  const { text, font, height, left, y } = line;
  if (font === "" || font === body.font || line.isMonospace || next === undefined) return false;
  if (height < body.height * 0.95 || text.length > MAX_FONT_UNITS || hasCells(line)) return false;
  if (!/^[\p{Lu}\d]/u.test(text) || !/\p{L}{2}/u.test(text) || /[.,;:!?]$/.test(text) || CAPTION.test(text))
    return false;
  const isText = (next.font === "" || next.font === body.font) && next.text.length >= MIN_TEXT_UNITS;
  if (!isText && !hasCells(next)) return false;
  if (next.y >= y || Math.abs(next.left - left) > MAX_SHIFT * height) return false;
  return before === undefined || before.y <= y || before.y - y >= MIN_GAP * height;
}

/** A gap of this many line heights is between the cells of a table. */
const CELL_GAP = 2;

function hasCells({ pieces = [], height }: PageLine): boolean {
  return pieces.some(({ left }, i) => i > 0 && left - pieces[i - 1]!.right > CELL_GAP * height);
}

const MIN_TITLE = 1.2;

/** The largest text of the first page; "" if none stands out. */
export function largestText(page: TextPage | undefined, body: TextStyle): string {
  if (page === undefined || body.height === 0) return "";
  const lines = page.lines.filter(({ text }) => /\p{L}{2}/u.test(text));
  const largest = Math.max(0, ...lines.map(({ height }) => height));
  if (largest < body.height * MIN_TITLE) return "";
  const first = lines.findIndex(({ height }) => height > largest * 0.97);
  let after = first;
  while (after < lines.length && lines[after]!.height > largest * 0.97) after++;
  const title = oneLine(
    lines
      .slice(first, after)
      .map(({ text }) => text)
      .join(" "),
  );
  return title.length >= 3 && title.length <= MAX_UNITS ? title : "";
}

function linesOf(pages: readonly TextPage[]): PageLine[] {
  return pages.flatMap(({ lines }) => lines);
}

function roundedHeight(height: number): number {
  return Math.round(height * 2) / 2;
}

function mostOf<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let best: [T, number] | undefined;
  for (const entry of counts) if (best === undefined || entry[1] > best[1]) best = entry;
  return best?.[0];
}
