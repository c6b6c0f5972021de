/** What the layout of plain text shows: a title, headings, page breaks with running heads, a table of contents. Pure. */

import { oneLine } from "../../../../src/text/one-line.js";

/** A line of the text, without its line end. */
interface Line {
  start: number;
  end: number;
}

/** A range to leave out, whole lines; `joins`: the text before and after it is one paragraph. */
export interface OmittedLines {
  start: number;
  end: number;
  joins: boolean;
}

interface PlainStructure {
  /** "" if none shows. */
  title: string;
  headings: { start: number; end: number; level: number }[];
  /** Page breaks and contents, ascending, without overlap. */
  omitted: OmittedLines[];
}

/** Longer texts are data or logs; they are kept as they are. */
const MAX_UNITS = 8 * 1024 * 1024;

/** The structure of a text; O(text). */
export function plainStructure(text: string): PlainStructure {
  if (text.length > MAX_UNITS) return { title: "", headings: [], omitted: [] };
  const lines = linesOf(text);
  const at = (i: number): string => {
    const line = lines[i];
    return line === undefined ? "" : text.slice(line.start, Math.min(line.end, line.start + MAX_LINE_UNITS));
  };
  const shown: Shown = { count: lines.length, at };
  const breaks = pageBreaks(shown, text, lines);
  const contents = contentsLines(shown);
  const omitted = merged([...breaks, ...contents.map((range) => ({ ...range, joins: false }))], lines, text);
  const isOmitted = (line: Line) => omitted.some(({ start, end }) => line.start >= start && line.start < end);
  return {
    title: titleOf(shown),
    headings: headingsOf(shown, lines).filter((heading) => omitted.length === 0 || !isOmitted(heading)),
    omitted,
  };
}

/** Longer lines are neither headings nor entries of a table of contents. */
const MAX_LINE_UNITS = 200;

interface Shown {
  count: number;
  /** Line i, cut after 200 units; "" outside of the text. */
  at(i: number): string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    lines.push({ start, end: text[end - 1] === "\r" ? end - 1 : end });
    start = end + 1;
  }
  return lines;
}

/** Ranges of line numbers. */
interface LineRange {
  from: number;
  to: number;
}

/** Blank lines around a page break that belong to it. */
const MAX_BLANK = 8;
/** A line at the edge of at least this many pages, apart from digits, is a running head. */
const MIN_REPEATED = 3;

/** Page breaks (form feeds) with the running heads next to them and the blank lines between (RFC 7994 and older). */
function pageBreaks(shown: Shown, text: string, lines: readonly Line[]): (LineRange & { joins: boolean })[] {
  const feeds: number[] = [];
  for (let i = 0; i < shown.count; i++) if (shown.at(i).includes("\f")) feeds.push(i);
  // The last page ends with the text.
  if (feeds.length > 0) feeds.push(shown.count);
  const edges = feeds.map((feed) => {
    let footer = feed - 1;
    while (footer > 0 && feed - footer < MAX_BLANK && isBlank(shown.at(footer))) footer--;
    let header = shown.at(feed).replace("\f", "").trim() === "" ? feed + 1 : feed;
    while (header < shown.count && header - feed < MAX_BLANK && isBlank(shown.at(header))) header++;
    return { feed, footer, header };
  });
  const counts = new Map<string, number>();
  const key = (line: string) => line.replace(/\f/g, "").trim().replace(/\d+/g, "#").replace(/\s+/g, " ");
  for (const { footer, header } of edges) {
    const heads = new Set([key(shown.at(footer)), key(shown.at(header))]);
    for (const line of heads) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  // A head may name its author or date differently on the first page, so a page number suffices.
  const isRunning = (i: number) => {
    const line = shown.at(i).replace(/\f/g, "").trim();
    return (
      line !== "" && (/\[Page \d{1,9}\]$|^-?\s*\d+\s*-?$/.test(line) || (counts.get(key(line)) ?? 0) >= MIN_REPEATED)
    );
  };
  return edges.flatMap(({ feed, footer, header }) => {
    let from = isRunning(footer) ? footer : feed;
    if (feed === shown.count && from === feed) return [];
    let to =
      feed === shown.count
        ? feed
        : header < shown.count && edges.length >= MIN_REPEATED && isRunning(header)
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

const MIN_LEADER_DOTS = 4;

/** The page of "Introduction . . . . . . 3" or "1.2 Scope ........ xii". */
export function leaderPage(line: string): string | undefined {
  const text = line.trimEnd();
  const page = /[\s.](\d{1,4}|[ivxlc]{1,7})$/i.exec(text)?.[1];
  if (page === undefined) return undefined;
  const entry = text.slice(0, -page.length).trimEnd();
  let end = entry.length;
  let dots = 0;
  while (entry[end - 1] === ".") {
    dots++;
    end -= isBlank(entry[end - 2] ?? "x") && entry[end - 3] === "." ? 2 : 1;
  }
  return dots >= MIN_LEADER_DOTS && /[^\s.]/.test(entry.slice(0, end)) ? page : undefined;
}

/** Fewer such lines may be a price list. */
const MIN_ENTRIES = 5;

/** Tables of contents: lines with leader dots and page numbers that never descend. */
function contentsLines(shown: Shown): LineRange[] {
  const ranges: LineRange[] = [];
  let block: { from: number; to: number; entries: number; page: number } | undefined;
  const end = () => {
    if (block !== undefined && block.entries >= MIN_ENTRIES) {
      let { from } = block;
      while (from > 0 && block.from - from < 3 && isBlank(shown.at(from - 1))) from--;
      if (/^\s*(?:table of )?contents:?\s*$/i.test(shown.at(from - 1))) from--;
      ranges.push({ from, to: block.to });
    }
    block = undefined;
  };
  for (let i = 0; i < shown.count; i++) {
    const number = leaderPage(shown.at(i));
    if (number === undefined) {
      // An entry may take two lines, and a page may break between two.
      if (block !== undefined && i - block.to >= (isBlank(shown.at(i)) ? 12 : 2)) end();
      continue;
    }
    const page = /^\d/.test(number) ? Number(number) : 0;
    if (block !== undefined && page < block.page) end();
    block ??= { from: i, to: i, entries: 0, page };
    block = { from: block.from, to: i + 1, entries: block.entries + 1, page };
  }
  end();
  return ranges;
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

const NUMBERED =
  /^(?:(\d{1,3}(?:\.\d{1,3}){0,5})\.?|(?:Appendix|Chapter|Section|Part|Article)\s+[\dA-Z]{1,4}[.:]?)\s+\p{Lu}.{1,80}$/u;
const UNDERLINE = /^\s*([=\-~^"#*+])\1{2,}\s*$/;

/** Numbered lines at the margin, and underlined lines, each alone between blank lines. */
function headingsOf(shown: Shown, lines: readonly Line[]): { start: number; end: number; level: number }[] {
  const headings: { start: number; end: number; level: number }[] = [];
  const underlines: string[] = [];
  for (let i = 0; i < shown.count; i++) {
    const line = shown.at(i);
    if (line.length >= MAX_LINE_UNITS || !isBlank(shown.at(i - 1)) || isBlank(line)) continue;
    const [, numbers] = NUMBERED.exec(line) ?? [];
    const isNumbered = NUMBERED.test(line) && isBlank(shown.at(i + 1)) && !/[.,;]\s*$/.test(line);
    const mark = UNDERLINE.exec(shown.at(i + 1))?.[1];
    const isUnderlined =
      mark !== undefined &&
      /[\p{L}\p{N}]/u.test(line) &&
      Math.abs(shown.at(i + 1).trim().length - line.trim().length) <= 3;
    if (!isNumbered && !isUnderlined) continue;
    if (isUnderlined && !underlines.includes(mark)) underlines.push(mark);
    const level = isNumbered ? (numbers ?? "1").split(".").length : underlines.indexOf(mark!) + 1;
    const { start, end } = lines[i]!;
    headings.push({ start: start + indentOf(line), end: start + Math.min(line.trimEnd().length, end - start), level });
  }
  return headings;
}

/** The title is among the first lines. */
const TITLE_LINES = 60;
const MAX_TITLE_UNITS = 120;

/**
 * The title: the subject of a letter with mail headers, the centred title of an RFC with its number, else the first
 * line of a block of at most three, with the line after it if that is short, too.
 */
function titleOf(shown: Shown): string {
  const first: string[] = [];
  for (let i = 0; i < Math.min(TITLE_LINES, shown.count); i++) first.push(shown.at(i).replace(/\f/g, ""));
  if (/^(?:From|To|Date|Subject): /.test(first[0] ?? "")) {
    const headers = first.slice(0, Math.max(0, first.findIndex(isBlank)));
    return headers.map((line) => /^Subject: (.+)/.exec(line)?.[1]?.trim()).find(Boolean) ?? "";
  }
  const rfc = first.map((line) => /^(?:Request for Comments|RFC):?\s+(\d{1,5})\b/.exec(line)?.[1]).find(Boolean);
  const blocks = blocksOf(first);
  if (rfc !== undefined) {
    const title = blocks.find((block) => block.every((line) => indentOf(line) >= 3) && isTitle(block));
    return title === undefined ? `RFC ${rfc}` : `RFC ${rfc}: ${joined(title)}`;
  }
  const [block, next] = blocks;
  if (block === undefined || blocks.length + block.length < 3 || block.length > 3 || !isTitle(block.slice(0, 1)))
    return "";
  const heading = joined(block.slice(0, 1));
  // Files of one kind often share their first line, but not the next one.
  const second = block.length > 1 ? block.slice(1, 2) : next?.length === 1 ? next : [];
  const both = second.length === 1 && isTitle(second) ? `${heading}: ${joined(second)}` : heading;
  return both.length <= MAX_TITLE_UNITS ? both : heading;
}

function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let open: string[] = [];
  for (const line of [...lines, ""]) {
    if (!isBlank(line) && !UNDERLINE.test(line)) open.push(line);
    else if (open.length > 0) {
      blocks.push(open);
      open = [];
    }
  }
  return blocks;
}

function isTitle(block: readonly string[]): boolean {
  return block.every((line, i) => {
    const text = line.trim();
    return (
      text.length >= 3 &&
      text.length <= 90 &&
      text.split(/\s+/).length <= 14 &&
      (i > 0 || /^["'“‘(]?[\p{Lu}\p{N}]/u.test(text)) &&
      /\p{L}{3}/u.test(text) &&
      !/[.,;:!?=>{}|\\]$/.test(text) &&
      !/\s{3}|\t|^\S+: |^[\w.]+\(|[{};<>=]|:\/\//.test(text)
    );
  });
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => oneLine(line)).join(" ");
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
