/**
 * Page numbers, running heads and feet, and the entries of a table of contents: lines that are not part of the text.
 * Pure.
 */

import { oneLine } from "../../../../../src/text/one-line.js";
import { areHeadings, type ContentsEntry, contentsEntry, headingKey, isContentsName } from "./contents.js";
import { bodyStyle, largestText } from "./page-headings.js";
import type { PageLine, TextPage } from "./page-lines.js";
import { type EdgeLine, groupBy, type NumberedLine, numbersOf, pageNumberLines } from "./page-numbers.js";

/** Lines at the top and at the bottom of a page that may be running lines. */
const ZONE_LINES = 2;
/** Lines are at the same place if their baselines differ by at most this, in 1/72 inch. */
const SAME_PLACE = 4;
/** The same words at the same place on this many pages are a running line. */
const MIN_REPEATED = 3;
const MAX_UNITS = 120;

interface Candidate {
  page: TextPage;
  line: PageLine;
  isTop: boolean;
}

/**
 * The pages without page numbers and running lines. Words that repeat stay where they come first, unless a line of
 * the text has them. In doubt a line stays.
 */
export function withoutRunningLines(pages: readonly TextPage[]): TextPage[] {
  if (pages.length < 2) return [...pages];
  const body = bodyStyle(pages);
  const candidates = pages.flatMap((page) =>
    candidatesOf(page, body.height === 0 ? Number.POSITIVE_INFINITY : body.height),
  );
  const atEdge = new Set(candidates.map(({ line }) => line));
  const inText = new Set(
    pages.flatMap(({ lines }) => lines.filter((line) => !atEdge.has(line)).map(({ text }) => keyOf(text))),
  );
  const removed = new Set<PageLine>();
  for (const same of groups(candidates, ({ line, isTop }) => `${isTop} ${keyOf(line.text)}`)) {
    if (new Set(same.map(({ page }) => page)).size >= MIN_REPEATED) removeRepeated(same, { inText, removed });
  }
  const numbers = pageNumbers(candidates, { pages, removed });
  for (const { line } of numbers) removed.add(line);
  for (const same of groupBy(namesNextTo(numbers, candidates), ({ line }) => keyOf(line.text))) {
    if (same.length > 1) removeRepeated(same, { inText, removed });
  }
  return pages.map((page) => ({ ...page, lines: page.lines.filter((line) => !removed.has(line)) }));
}

/** Removes all of equal lines except the first, and that too if a line of the text has its words. */
function removeRepeated(
  same: readonly Candidate[],
  { inText, removed }: { inText: ReadonlySet<string>; removed: Set<PageLine> },
): void {
  const [first] = [...same].sort((a, b) => a.page.number - b.page.number);
  for (const { line } of same) if (line !== first!.line || inText.has(keyOf(line.text))) removed.add(line);
}

/** The chapters' names next to page numbers. */
function namesNextTo(numbers: readonly Candidate[], candidates: readonly Candidate[]): Candidate[] {
  const numbered = new Set(numbers.map(({ line }) => line));
  return candidates.filter(
    ({ page, line }) =>
      !numbered.has(line) && page.lines.some((other) => numbered.has(other) && Math.abs(other.y - line.y) < 1),
  );
}

/** Larger letters are headings: "Chapter 2" on page 3, "Chapter 3" on page 4. */
const MAX_HEIGHT = 1.3;

function candidatesOf(page: TextPage, height: number): Candidate[] {
  const lines = page.lines
    .filter((line) => line.text.length <= MAX_UNITS && line.height <= MAX_HEIGHT * height)
    .sort((a, b) => b.y - a.y);
  const top = lines.slice(0, ZONE_LINES);
  const bottom = lines.slice(Math.max(top.length, lines.length - ZONE_LINES));
  return [...top.map((line) => ({ page, line, isTop: true })), ...bottom.map((line) => ({ page, line, isTop: false }))];
}

/** Lines whose distance is a smaller share of their height are one line with raised letters. */
const MIN_STEP = 0.8;
/** A line above or below the text is separated from it by this many steps between lines of the text, … */
const MIN_SEPARATION = 1.5;
/** … and its letters are at most this much larger. */
const MAX_RUNNING_HEIGHT = 1.05;
/** A gap of this many line heights sets a number apart. */
const APART_GAP = 1;

/** Lines that are page numbers or have one, always at the same place. */
function pageNumbers(
  candidates: readonly Candidate[],
  { pages, removed }: { pages: readonly TextPage[]; removed: ReadonlySet<PageLine> },
): Candidate[] {
  const body = bodyStyle(pages);
  const step = lineStep(pages, body.height);
  const title = keyOf(largestText(pages[0], body));
  const numbered = candidates.flatMap((candidate) => {
    const { page, line, isTop } = candidate;
    const numbers = numbersOf(line.text);
    if (numbers.length === 0) return [];
    const isSmall = body.height === 0 || line.height <= MAX_RUNNING_HEIGHT * body.height;
    const isSeparated = isSmall && gapToText(candidate, removed) >= MIN_SEPARATION * step;
    return numbers.map((number): Candidate & { numbered: EdgeLine & { candidate: Candidate } } => ({
      ...candidate,
      numbered: {
        ...number,
        candidate,
        page: page.number,
        isTop,
        isSeparated,
        isApart: number.isApart || isDrawnApart(line, number),
      },
    }));
  });
  const found = groups(numbered, ({ isTop, numbered: { number, page } }) => `${isTop} ${number - page}`).flatMap(
    (same) =>
      pageNumberLines(
        same.map((each) => each.numbered),
        { title, pageCount: pages.length },
      ),
  );
  return found.map(({ candidate }) => candidate);
}

/** Whether the number at an end of a line is drawn at a distance from the rest. */
function isDrawnApart({ pieces = [], height }: PageLine, { form }: NumberedLine): boolean {
  const [number, next] = form === "start" ? pieces : pieces.slice(-2).reverse();
  if (number === undefined || next === undefined || !/^\W*\d/.test(number.text.trim())) return false;
  const gap = form === "start" ? next.left - number.right : number.left - next.right;
  return gap >= APART_GAP * height;
}

/** Distance of a line at the edge from the next line of the text; infinite if there is none. */
function gapToText({ page, line, isTop }: Candidate, removed: ReadonlySet<PageLine>): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const other of page.lines) {
    const gap = isTop ? line.y - other.y : other.y - line.y;
    if (gap >= 1 && gap < nearest && !removed.has(other)) nearest = gap;
  }
  return nearest;
}

/** Distance of lines of one paragraph: the lower quartile of all distances; 0 if there is none. */
function lineStep(pages: readonly TextPage[], height: number): number {
  const steps = pages
    .flatMap(({ lines }) => {
      const places = lines.map(({ y }) => y).sort((a, b) => b - a);
      return places.slice(1).map((y, i) => places[i]! - y);
    })
    .filter((step) => step >= Math.max(1, height * MIN_STEP))
    .sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 4)] ?? 0;
}

/** Candidates with the same key whose lines are at the same place. */
function groups<T extends Candidate>(candidates: readonly T[], keyOf: (candidate: T) => string): T[][] {
  return groupBy(candidates, keyOf).flatMap((same) => {
    const places: T[][] = [];
    for (const candidate of same.sort((a, b) => a.line.y - b.line.y)) {
      const last = places.at(-1);
      if (last !== undefined && candidate.line.y - last[0]!.line.y <= SAME_PLACE) last.push(candidate);
      else places.push([candidate]);
    }
    return places;
  });
}

function keyOf(text: string): string {
  return oneLine(text).toLowerCase();
}

/** Fewer entries with leader dots on a page may be a price list. */
const MIN_ENTRIES = 4;
/** Lines between the name of a table of contents and its first entry with dots. */
const MAX_BELOW_NAME = 5;

/**
 * The pages without entries of a table of contents: lines with leader dots, and lines between them with a page
 * number. Only below a name like "Contents", on the pages after it, or if most entries are headings of the text
 * below.
 */
export function withoutContents(pages: readonly TextPage[]): TextPage[] {
  const tables = pages.map(contentsOf);
  if (tables.every((table) => table === undefined)) return [...pages];
  /** By key, the last page and line with it. */
  const lastPlaces = new Map<string, [page: number, line: number]>();
  for (const [page, { lines }] of pages.entries()) {
    for (const [i, { text }] of lines.entries()) {
      if (contentsEntry(text) === undefined) lastPlaces.set(headingKey(text), [page, i]);
    }
  }
  /** Page number of the last entry of a table that reaches the end of the page before. */
  let continues: number | undefined;
  return pages.map((page, at) => {
    const table = tables[at];
    const before = continues;
    continues = undefined;
    if (table === undefined) return page;
    const { entries, first, last, name, numbers } = table;
    const isContinued = before !== undefined && first <= 2 && (numbers[0] ?? before) >= before;
    const isBelow = (key: string): boolean => {
      const [lastPage, line] = lastPlaces.get(key) ?? [-1, -1];
      return lastPage > at || (lastPage === at && line > last);
    };
    if (name === undefined && !isContinued && !areHeadings(entries, isBelow)) return page;
    if (last >= page.lines.length - 2) continues = numbers.at(-1) ?? before ?? 0;
    const from = name ?? first - 1;
    const isEntry = ({ text }: PageLine, i: number): boolean =>
      i === name ||
      (i >= from && i <= last && (contentsEntry(text) !== undefined || (i >= first - 1 && /\s\d{1,4}$/.test(text))));
    return { ...page, lines: page.lines.filter((line, i) => !isEntry(line, i)) };
  });
}

interface ContentsTable {
  entries: ContentsEntry[];
  /** Lines of the page. */
  first: number;
  last: number;
  name: number | undefined;
  /** Page numbers of the entries, without Roman ones. */
  numbers: number[];
}

/** What may be a table of contents on a page. */
function contentsOf({ lines }: TextPage): ContentsTable | undefined {
  const found = lines.flatMap(({ text }, i) => {
    const entry = contentsEntry(text);
    return entry === undefined ? [] : [{ entry, i }];
  });
  const numbers = found.map(({ entry }) => Number(entry.page)).filter((number) => number > 0);
  const descends = numbers.some((number, i) => number < (numbers[i - 1] ?? 0));
  if (found.length < MIN_ENTRIES || descends) return undefined;
  const [first, last] = [found[0]!.i, found.at(-1)!.i];
  const above = lines
    .slice(Math.max(0, first - MAX_BELOW_NAME), first)
    .findLastIndex(({ text }) => isContentsName(text));
  const name = above < 0 ? undefined : Math.max(0, first - MAX_BELOW_NAME) + above;
  return { entries: found.map(({ entry }) => entry), first, last, name, numbers };
}
