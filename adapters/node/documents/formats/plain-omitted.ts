/** The lines of plain text that are not part of it: page breaks with running heads, and tables of contents. Pure. */

import { oneLine } from "../../../../src/text/one-line.js";
import { areHeadings, type ContentsEntry, contentsEntry, headingKey, isContentsName } from "./pages/contents.js";
import { groupBy, numbersOf, pageNumberLines } from "./pages/page-numbers.js";
import { indentOf, isBlank } from "./text-lines.js";

/** A line of the text, without its line end. */
export interface Line {
  start: number;
  end: number;
}

/** A range to leave out, whole lines; `joins`: the text before and after it is one paragraph. */
export interface OmittedLines {
  start: number;
  end: number;
  joins: boolean;
}

/** Longer lines are neither headings nor entries of a table of contents. */
export const MAX_LINE_UNITS = 200;

export interface Shown {
  count: number;
  /** Line i, cut after 200 units; "" outside of the text. */
  at(i: number): string;
}

/** Ascending, without overlap. */
export function omittedLines(shown: Shown, text: string, lines: readonly Line[]): OmittedLines[] {
  const breaks = pageBreaks(shown, text, lines);
  const contents = contentsLines(shown);
  return merged([...breaks, ...contents.map((range) => ({ ...range, joins: false }))], lines, text);
}

/** Ranges of line numbers. */
interface LineRange {
  from: number;
  to: number;
}

/** Blank lines around a page break that belong to it. */
const MAX_BLANK = 8;
/** A line at the edge of at least this many pages is a running head. */
const MIN_REPEATED = 3;

/** A page break: the line with the form feed, or the end of the text, and the lines at the edges of both pages. */
interface PageBreak {
  feed: number;
  footer: number;
  header: number;
}

/** Page breaks (form feeds) with the running heads next to them and the blank lines between (RFC 7994 and older). */
function pageBreaks(shown: Shown, text: string, lines: readonly Line[]): (LineRange & { joins: boolean })[] {
  const feeds: number[] = [];
  for (let i = 0; i < shown.count; i++) if (shown.at(i).includes("\f")) feeds.push(i);
  // The last page ends with the text.
  if (feeds.length > 0) feeds.push(shown.count);
  const edges = feeds.map((feed): PageBreak => {
    let footer = feed - 1;
    while (footer > 0 && feed - footer < MAX_BLANK && isBlank(shown.at(footer))) footer--;
    let header = shown.at(feed).replace("\f", "").trim() === "" ? feed + 1 : feed;
    while (header < shown.count && header - feed < MAX_BLANK && isBlank(shown.at(header))) header++;
    return { feed, footer, header };
  });
  const running = runningLines(shown, edges);
  return edges.flatMap(({ feed, footer, header }) => {
    let from = running.has(footer) ? footer : feed;
    if (feed === shown.count && from === feed) return [];
    let to =
      feed === shown.count
        ? feed
        : header < shown.count && edges.length >= MIN_REPEATED && running.has(header)
          ? header + 1
          : feed + 1;
    if (to === feed + 1 && shown.at(feed).replace("\f", "").trim() !== "") {
      if (from === feed) return [];
      to = feed;
    }
    while (from > 0 && feed - from < 3 * MAX_BLANK && isBlank(shown.at(from - 1))) from--;
    while (to < shown.count && to - feed < 3 * MAX_BLANK && isBlank(shown.at(to))) to++;
    const last = lines[from - 1];
    const next = lines[to];
    const joins =
      last !== undefined &&
      next !== undefined &&
      !/[.!?:;]["'”’)\]]*\s*$/.test(text.slice(Math.max(last.start, last.end - 20), last.end)) &&
      indentOf(shown.at(from - 1)) === indentOf(shown.at(to)) &&
      !/^\s*(?:[-*•o+]|\d+[.)])\s/.test(shown.at(to)) &&
      shown.at(from - 1).trim().length > 40;
    return [{ from, to, joins }];
  });
}

/**
 * The lines at the edges of pages that are not part of the text: running heads and page numbers. In doubt a line is
 * text.
 */
function runningLines(shown: Shown, edges: readonly PageBreak[]): Set<number> {
  const lineAt = (i: number): string => shown.at(i).replace(/\f/g, "").trim();
  const top = firstLine(shown);
  const below = edges.flatMap(({ footer, header }, i) => [
    { line: footer, page: i + 1, isTop: false, isSeparated: isBlank(shown.at(footer - 1)) },
    { line: header, page: i + 2, isTop: true, isSeparated: isBlank(shown.at(header + 1)) },
  ]);
  const isBelow = below.some(({ line }) => line === top);
  const first = { line: top, page: 1, isTop: true, isSeparated: isBlank(shown.at(top + 1)) };
  const filled = (isBelow ? below : [first, ...below]).filter(({ line }) => lineAt(line) !== "");
  const running = new Set<number>();
  // A head may name its author or date differently on each page.
  for (const { line } of filled) if (/\[Page \d{1,9}\]$/.test(lineAt(line))) running.add(line);

  for (const same of groupBy(filled, ({ line }) => oneLine(lineAt(line)))) {
    if (new Set(same.map(({ page, isTop }) => (isTop ? page - 1 : page))).size < MIN_REPEATED) continue;
    // Words in columns are a running head. Others that repeat stay where they come first.
    const isHead = /\S\s{3,}\S/.test(lineAt(same[0]!.line));
    for (const { line } of isHead ? same : same.slice(1)) running.add(line);
  }
  const numbered = filled.flatMap((place) => numbersOf(lineAt(place.line)).map((number) => ({ ...number, ...place })));
  for (const same of groupBy(numbered, ({ isTop, number, page }) => `${isTop} ${number - page}`)) {
    for (const { line } of pageNumberLines(same, { title: "", pageCount: edges.length })) running.add(line);
  }
  return running;
}

/** The first line that is not blank. */
function firstLine({ count, at }: Shown): number {
  let first = 0;
  while (first < count && isBlank(at(first))) first++;
  return first;
}

/** Fewer such lines may be a price list. */
const MIN_ENTRIES = 5;
/** Lines above the first entry that may be the table's name, with blank ones. */
const MAX_ABOVE = 6;
/** Lines between two parts of a table that a page break divides. */
const MAX_BETWEEN = 24;

interface EntryBlock extends LineRange {
  entries: ContentsEntry[];
  firstPage: number;
  lastPage: number;
}

/**
 * Tables of contents: lines with leader dots and page numbers that never descend. Only below a name like "Contents",
 * or if most entries are headings of the text below.
 */
function contentsLines(shown: Shown): LineRange[] {
  const blocks = entryBlocks(shown);
  if (blocks.length === 0) return [];
  const lastLines = new Map<string, number>();
  for (let i = 0; i < shown.count; i++) {
    const line = shown.at(i);
    if (line.length < MAX_LINE_UNITS && !isBlank(line) && contentsEntry(line) === undefined)
      lastLines.set(headingKey(line), i);
  }
  const ranges: LineRange[] = [];
  let before: EntryBlock | undefined;
  for (const block of blocks) {
    const name = nameAbove(shown, block.from);
    const continues =
      before !== undefined && block.from - before.to <= MAX_BETWEEN && block.firstPage >= before.lastPage;
    const isBelow = (key: string): boolean => (lastLines.get(key) ?? -1) >= block.to;
    if (name === undefined && !continues && !areHeadings(block.entries, isBelow)) continue;
    before = block;
    let from = name ?? block.from;
    if (name === undefined) while (from > 0 && block.from - from < 3 && isBlank(shown.at(from - 1))) from--;
    ranges.push({ from, to: block.to });
  }
  return ranges;
}

/** The line with the name of a table of contents whose first entry is at `from`. */
function nameAbove(shown: Shown, from: number): number | undefined {
  for (let i = from - 1; i >= Math.max(0, from - MAX_ABOVE); i--) {
    const line = shown.at(i);
    if (isContentsName(line)) return i;
    // The name of the column with the page numbers.
    if (!isBlank(line) && !/^\s*\p{L}+\s*$/u.test(line)) return undefined;
  }
  return undefined;
}

function entryBlocks(shown: Shown): EntryBlock[] {
  const blocks: EntryBlock[] = [];
  let block: EntryBlock | undefined;
  const end = () => {
    if (block !== undefined && block.entries.length >= MIN_ENTRIES) blocks.push(block);
    block = undefined;
  };
  for (let i = 0; i < shown.count; i++) {
    const entry = contentsEntry(shown.at(i));
    if (entry === undefined) {
      // An entry may take two lines, and a page may break between two.
      if (block !== undefined && i - block.to >= (isBlank(shown.at(i)) ? 12 : 2)) end();
      continue;
    }
    const page = /^\d/.test(entry.page) ? Number(entry.page) : 0;
    if (block !== undefined && page < block.lastPage) end();
    block ??= { from: i, to: i, entries: [], firstPage: page, lastPage: page };
    block.entries.push(entry);
    block.to = i + 1;
    block.lastPage = page;
  }
  end();
  return blocks;
}

function merged(ranges: (LineRange & { joins: boolean })[], lines: readonly Line[], text: string): OmittedLines[] {
  const omitted: OmittedLines[] = [];
  for (const { from, to, joins } of ranges.sort((a, b) => a.from - b.from)) {
    const start = lines[from]!.start;
    const end = lines[to]?.start ?? text.length;
    const last = omitted.at(-1);
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.joins &&= joins;
    } else omitted.push({ start, end, joins });
  }
  return omitted;
}
