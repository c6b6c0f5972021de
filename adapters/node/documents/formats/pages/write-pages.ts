/** Lines of pages → text: paragraphs, words that a line end divides, and the place of each piece. */

import type { TextBuilder } from "../text-builder.js";
import { LineEndHyphens } from "./line-end-hyphens.js";
import { HardBreaks } from "./line-ends.js";
import { bodyStyle, headingLevels, largestText, type TextStyle } from "./page-headings.js";
import { isSameSize, type PageLine, type PlacedWord, type TextPage } from "./page-lines.js";
import { LIST_MARK, type TableRow, withTables } from "./page-tables.js";
import { withoutContents, withoutRunningLines } from "./running-lines.js";

/** A step down of more than this many line heights begins a paragraph: lines of one are at most 1.5 apart. */
const PARAGRAPH_STEP = 1.7;
/** Lines whose sizes differ by a larger factor do not belong together (a heading and its text). */
const MAX_SIZE_RATIO = 1.15;
/** A line that reaches this share of the right edge is full. */
const FULL_SHARE = 0.92;

/** How a line continues the one before it. `hyphen`: directly, without the hyphen that ends the line. */
type Joint = "paragraph" | "row" | "space" | "direct" | "hyphen";
const SEPARATORS = { paragraph: "\n\n", row: "\n", space: " ", direct: "", hyphen: "" } as const;

/** A line with what its page shows about it. */
interface LaidOutLine {
  line: PageLine;
  page: number;
  /** Level of a heading. */
  level: number | undefined;
  row: TableRow | undefined;
  /** Reaches the right edge of the text. */
  isFull: boolean;
  /** Begins further to the right than the line below. */
  isIndented: boolean;
  /** The hard breaks of the line's page. */
  breaks: HardBreaks;
}

/**
 * Writes the text of all pages: without page numbers, running lines and tables of contents; with headings by the size
 * of letters, tables as rows, and lines of a paragraph joined, also from one page to the next.
 * @returns the largest text of the first page, which may be the title; "" if none stands out
 */
export function writePages(builder: TextBuilder, pages: readonly TextPage[]): { title: string } {
  const shown = withoutContents(withoutRunningLines(pages));
  const body = bodyStyle(shown);
  const lines = layOut(shown, body);
  const hyphens = new LineEndHyphens(lines.map(({ line }) => line));
  for (const [i, laidOut] of lines.entries()) {
    const before = lines[i - 1];
    const next = lines[i + 1];
    const joint = next === undefined ? "paragraph" : jointOf(laidOut, next, hyphens);
    const { level } = laidOut;
    if (level !== undefined && (before === undefined || jointOf(before, laidOut, hyphens) === "paragraph"))
      builder.beginHeading(level);
    writeLine(builder, laidOut, { cut: joint === "hyphen" });
    if (level !== undefined && joint === "paragraph") builder.endHeading();
    builder.separate(SEPARATORS[joint]);
  }
  return { title: largestText(shown[0], body) };
}

function layOut(pages: readonly TextPage[], body: TextStyle): LaidOutLine[] {
  const levels = headingLevels(pages, body);
  return pages.flatMap(({ number, lines }) => {
    const entries = withTables(lines);
    const right = Math.max(...lines.map((line) => line.right));
    const breaks = new HardBreaks(lines);
    return entries.map(({ line, row }, i) => ({
      line,
      page: number,
      level: row === undefined ? levels.get(line) : undefined,
      row,
      isFull: line.right >= FULL_SHARE * right,
      breaks,
      isIndented: line.left > (entries[i + 1]?.line ?? line).left + line.height / 2,
    }));
  });
}

function writeLine(builder: TextBuilder, { line, page, row }: LaidOutLine, { cut }: { cut: boolean }): void {
  if (row !== undefined) {
    builder.beginRow();
    for (const cell of row.cells) {
      builder.beginCell();
      builder.write(cell, { page });
    }
    builder.endRow();
    return;
  }
  const pieces: readonly (Omit<PlacedWord, "path"> & { path?: string })[] = line.words ?? [{ text: line.text }];
  for (const [i, { text, path }] of pieces.entries()) {
    if (i > 0) builder.separate(" ");
    const isCut = cut && i === pieces.length - 1;
    builder.write(isCut ? text.slice(0, -1) : text, path === undefined ? { page } : { page, path });
  }
}

function jointOf(before: LaidOutLine, next: LaidOutLine, hyphens: LineEndHyphens): Joint {
  const isNewPage = next.page !== before.page;
  if (before.row !== undefined && next.row !== undefined && !isNewPage) {
    const isSameTable = before.row.header === next.row.header || next.row.header === headerOf(before.row);
    return isSameTable ? "row" : "paragraph";
  }
  if (before.row !== undefined || next.row !== undefined || before.level !== next.level) return "paragraph";
  const begins = isNewPage
    ? before.level !== undefined || !continuesOnNextPage(before, next)
    : (next.line.beginsParagraph ?? beginsParagraph(next.line, before.line));
  if (begins) return "paragraph";
  const isFlowing = isNewPage || before.level !== undefined || next.line.beginsParagraph !== undefined;
  const joint = joinOf(before.line.text, next.line.text);
  if (joint === "hyphen") return hyphens.belongsToWord(before.line.text, next.line.text) ? "direct" : "hyphen";
  return joint === "space" && !isFlowing && before.breaks.isBetween(before.line, next.line) ? "row" : joint;
}

function headerOf({ cells }: TableRow): string {
  return cells.join(" | ");
}

const BULLET = /^[•‣◦▪●■–]\s/;

/** Whether a line begins with a bullet, or with a number that is drawn apart from the text. */
function isItem({ text, pieces }: PageLine): boolean {
  return BULLET.test(text) || (pieces !== undefined && LIST_MARK.test(pieces[0]!.text.trim()));
}
const SENTENCE_END = /[.!?:。！？]["'”’)\]]*$/;

function beginsParagraph(line: PageLine, before: PageLine): boolean {
  if (isItem(line)) return true;
  if (!isSameSize(line, before, { factor: MAX_SIZE_RATIO })) return true;
  const size = Math.max(line.height, before.height, 1);
  const step = before.y - line.y;
  // Upwards: the next column, where a sentence may continue.
  if (step < -size / 2) return SENTENCE_END.test(before.text);
  return step > size * PARAGRAPH_STEP;
}

/** Whether the last line of a page and the first one of the next are one sentence. */
function continuesOnNextPage(before: LaidOutLine, { line, isIndented }: LaidOutLine): boolean {
  if (isItem(line) || !isSameSize(before.line, line, { factor: MAX_SIZE_RATIO }) || SENTENCE_END.test(before.line.text))
    return false;
  return /^\p{Ll}/u.test(line.text) || (before.isFull && !isIndented && /[\p{Ll},-]$/u.test(before.line.text));
}

function joinOf(text: string, next: string): Joint {
  if (text.endsWith("\u00ad")) return "hyphen";
  // "observa-" + "tory" is one word; "Smith-" + "Jones" and "1990-" + "1995" keep their hyphen.
  if (/\p{L}[-\u2010]$/u.test(text)) return /^\p{Ll}/u.test(next) ? "hyphen" : "direct";
  const isUnspaced =
    /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && /^[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]/.test(next);
  return isUnspaced ? "direct" : "space";
}
