/** Positioned pieces of text on a page → its lines, joined into paragraphs. Pure. */

import { oneLine } from "../../../../src/text/one-line.js";

/** A piece of text as pdf.js gives it, in reading order of the file. */
export interface PdfItem {
  str: string;
  /** Ends its line. */
  hasEOL: boolean;
  /** Glyph matrix [a, b, c, d, x, y], origin at the bottom left, units of 1/72 inch. */
  transform: number[];
  /** Height of the line, in the same unit; 0 for pieces that only end a line. */
  height: number;
}

interface Line {
  text: string;
  y: number;
  height: number;
}

/** A step down of more than this many line heights begins a paragraph: lines of one are at most 1.5 apart. */
const PARAGRAPH_STEP = 1.7;
/** Lines whose sizes differ by a larger factor do not belong together (a heading and its text). */
const SAME_SIZE = 1.15;

/**
 * The text of a page: lines of a paragraph are joined by spaces (parts of a hyphenated word directly), paragraphs by
 * blank lines.
 */
export function pageText(items: PdfItem[]): string {
  let text = "";
  let before: Line | undefined;
  for (const line of linesOf(items)) {
    if (before !== undefined && beginsParagraph(line, before)) text += `\n\n${line.text}`;
    else text = joinLines(text, line.text);
    before = line;
  }
  return text;
}

function linesOf(items: PdfItem[]): Line[] {
  const lines: Line[] = [];
  let text = "";
  let y: number | undefined;
  let height = 0;
  const end = () => {
    const trimmed = oneLine(text);
    if (trimmed !== "") lines.push({ text: trimmed, y: y ?? 0, height });
    text = "";
    y = undefined;
    height = 0;
  };
  for (const item of items) {
    text += item.str;
    if (item.str.trim() !== "") {
      y ??= item.transform[5];
      height = Math.max(height, item.height);
    }
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

const BULLET = /^[•‣◦▪●■–]\s/;

function beginsParagraph(line: Line, before: Line): boolean {
  if (BULLET.test(line.text)) return true;
  const size = Math.max(line.height, before.height, 1);
  if (line.height > 0 && before.height > 0) {
    const [large, small] = line.height > before.height ? [line.height, before.height] : [before.height, line.height];
    if (large > small * SAME_SIZE) return true;
  }
  const step = before.y - line.y;
  // Upwards: the next column, where a sentence may continue.
  if (step < -size / 2) return /[.!?:。！？]["'”’)\]]*$/.test(before.text);
  return step > size * PARAGRAPH_STEP;
}

function joinLines(text: string, next: string): string {
  if (text === "") return next;
  if (text.endsWith("\u00ad")) return text.slice(0, -1) + next;
  if (/\p{L}[-\u2010]$/u.test(text)) {
    // "observa-" + "tory" is one word; "Smith-" + "Jones" and "1990-" + "1995" keep their hyphen.
    return /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : text + next;
  }
  const isUnspaced =
    /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && /^[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]/.test(next);
  return isUnspaced ? text + next : `${text} ${next}`;
}
