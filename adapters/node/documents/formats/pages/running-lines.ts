/** Page numbers, running heads and feet, and the entries of a table of contents: lines that are not part of the text. Pure. */

import { leaderPage } from "../plain-structure.js";
import { bodyStyle } from "./page-headings.js";
import type { PageLine, TextPage } from "./page-lines.js";

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

/** The pages without page numbers and running lines. Words that repeat stay where they come first, on the first page. */
export function withoutRunningLines(pages: readonly TextPage[]): TextPage[] {
  if (pages.length < 2) return [...pages];
  const { height } = bodyStyle(pages);
  const candidates = pages.flatMap((page) => candidatesOf(page, height === 0 ? Number.POSITIVE_INFINITY : height));
  const removed = new Set<PageLine>();
  for (const { line } of pageNumbers(candidates)) removed.add(line);
  for (const same of groups(candidates, ({ line, isTop }) => `${isTop} ${keyOf(line.text)}`)) {
    if (same.length < MIN_REPEATED) continue;
    for (const { line, page } of same) if (page !== pages[0]) removed.add(line);
  }
  // The chapter's name next to a page number.
  for (const { page, line } of candidates) {
    if (page !== pages[0] && page.lines.some((other) => removed.has(other) && Math.abs(other.y - line.y) < 1)) {
      removed.add(line);
    }
  }
  return pages.map((page) => ({ ...page, lines: page.lines.filter((line) => !removed.has(line)) }));
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

/** Lines that begin or end with a number that counts the pages, always at the same place. */
function pageNumbers(candidates: readonly Candidate[]): Candidate[] {
  const found: Candidate[] = [];
  const numbered = candidates.flatMap((candidate) =>
    numbersOf(candidate.line.text).map((number) => ({ ...candidate, shift: number - candidate.page.number })),
  );
  for (const same of groups(numbered, ({ isTop, shift }) => `${isTop} ${shift}`)) {
    const isPlain = same.every(({ line }) => /^(?:\W|\d|page|of|seite|von|[ivxlc])+$/i.test(line.text));
    if (new Set(same.map(({ page }) => page)).size >= (isPlain ? 2 : MIN_REPEATED)) found.push(...same);
  }
  return found;
}

/** Candidates with the same key whose lines are at the same place. */
function groups<T extends Candidate>(candidates: readonly T[], keyOf: (candidate: T) => string): T[][] {
  const byKey = new Map<string, T[]>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [candidate]);
    else same.push(candidate);
  }
  return [...byKey.values()].flatMap((same) => {
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
  return text.toLowerCase().replace(/\d+/g, "#");
}

/** The numbers at the start and the end of a line, including lower-case Roman numerals that are alone on the line. */
function numbersOf(text: string): number[] {
  const first = /^\W{0,3}(?:page )?(\d{1,4})(?!\S*[\d.,])/i.exec(text)?.[1];
  const last = /(?:^|[^\d.,])(\d{1,4})\W{0,3}$/.exec(text.slice(-12))?.[1];
  const roman = /^\W{0,3}([ivxlc]{1,8})\W{0,3}$/.exec(text)?.[1];
  const numbers = [first, last].flatMap((digits) => (digits === undefined ? [] : [Number(digits)]));
  return [...new Set(roman === undefined ? numbers : [...numbers, romanNumber(roman)])];
}

const ROMAN: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanNumber(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const value = ROMAN[digits[i]!]!;
    sum += value < (ROMAN[digits[i + 1]!] ?? 0) ? -value : value;
  }
  return sum;
}

/** Fewer entries with leader dots on a page may be a price list. */
const MIN_ENTRIES = 4;

/** The pages without entries of a table of contents: lines with leader dots, and lines between them with a page number. */
export function withoutContents(pages: readonly TextPage[]): TextPage[] {
  return pages.map((page) => {
    const entries = page.lines.flatMap(({ text }, i) => (leaderPage(text) === undefined ? [] : [i]));
    const numbers = entries.map((i) => Number(leaderPage(page.lines[i]!.text))).filter((number) => number > 0);
    const descends = numbers.some((number, i) => number < (numbers[i - 1] ?? 0));
    if (entries.length < MIN_ENTRIES || descends) return page;
    const [first, last] = [entries[0]!, entries.at(-1)!];
    const isName = (i: number): boolean => /^(?:table of )?contents$/i.test(page.lines[i]?.text ?? "");
    const isEntry = ({ text }: PageLine, i: number): boolean =>
      ((i === first - 1 || i === first - 2) && isName(i)) ||
      (i >= first - 1 && i <= last && (leaderPage(text) !== undefined || /\s\d{1,4}$/.test(text)));
    return { ...page, lines: page.lines.filter((line, i) => !isEntry(line, i)) };
  });
}
