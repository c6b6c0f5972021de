/** Headings of pages, by the size of their letters. Pure. */

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

export interface TextStyle {
  /** Of most of the text, in 1/72 inch; 0 if it is not known. */
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
  return levels;
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
