/** Lines of pages → text: paragraphs, words that a line end divides, and the place of each piece. */

import type { TextBuilder } from "../text-builder.js";
import type { PageLine, PlacedWord, TextPage } from "./page-lines.js";

/** A step down of more than this many line heights begins a paragraph: lines of one are at most 1.5 apart. */
const PARAGRAPH_STEP = 1.7;
/** Lines whose sizes differ by a larger factor do not belong together (a heading and its text). */
const SAME_SIZE = 1.15;

/** How a line continues the one before it. `hyphen`: directly, without the hyphen that ends the line. */
export type Joint = "paragraph" | "space" | "direct" | "hyphen";

/** Writes the lines of all pages. Lines of a paragraph are joined, also from one page to the next. */
export function writePages(builder: TextBuilder, pages: readonly TextPage[]): void {
  const lines = pages.flatMap((page) => page.lines.map((line) => ({ line, page: page.number })));
  for (const [i, { line, page }] of lines.entries()) {
    const next = lines[i + 1];
    const joint = next === undefined ? "paragraph" : jointOf(line, next.line, next.page !== page);
    writeLine(builder, { line, page, cut: joint === "hyphen" });
    builder.separate(joint === "paragraph" ? "\n\n" : joint === "space" ? " " : "");
  }
}

function writeLine(builder: TextBuilder, { line, page, cut }: { line: PageLine; page: number; cut: boolean }): void {
  const pieces: readonly (Omit<PlacedWord, "path"> & { path?: string })[] = line.words ?? [{ text: line.text }];
  for (const [i, { text, path }] of pieces.entries()) {
    if (i > 0) builder.separate(" ");
    const isCut = cut && i === pieces.length - 1;
    builder.write(isCut ? text.slice(0, -1) : text, path === undefined ? { page } : { page, path });
  }
}

function jointOf(line: PageLine, next: PageLine, isNewPage: boolean): Joint {
  const begins = isNewPage ? !continuesOnNextPage(line, next) : (next.beginsParagraph ?? beginsParagraph(next, line));
  return begins ? "paragraph" : joinOf(line.text, next.text);
}

const BULLET = /^[•‣◦▪●■–]\s/;
const SENTENCE_END = /[.!?:。！？]["'”’)\]]*$/;

function beginsParagraph(line: PageLine, before: PageLine): boolean {
  if (BULLET.test(line.text)) return true;
  if (!isSameSize(line, before)) return true;
  const size = Math.max(line.height, before.height, 1);
  const step = before.y - line.y;
  // Upwards: the next column, where a sentence may continue.
  if (step < -size / 2) return SENTENCE_END.test(before.text);
  return step > size * PARAGRAPH_STEP;
}

function isSameSize(a: PageLine, b: PageLine): boolean {
  return a.height === 0 || b.height === 0 || Math.max(a.height, b.height) <= SAME_SIZE * Math.min(a.height, b.height);
}

/** Whether the last line of a page and the first one of the next are one sentence. */
function continuesOnNextPage(line: PageLine, next: PageLine): boolean {
  if (BULLET.test(next.text) || !isSameSize(line, next) || SENTENCE_END.test(line.text)) return false;
  return /^\p{Ll}/u.test(next.text);
}

function joinOf(text: string, next: string): Joint {
  if (text.endsWith("\u00ad")) return "hyphen";
  // "observa-" + "tory" is one word; "Smith-" + "Jones" and "1990-" + "1995" keep their hyphen.
  if (/\p{L}[-\u2010]$/u.test(text)) return /^\p{Ll}/u.test(next) ? "hyphen" : "direct";
  const isUnspaced =
    /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && /^[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]/.test(next);
  return isUnspaced ? "direct" : "space";
}
