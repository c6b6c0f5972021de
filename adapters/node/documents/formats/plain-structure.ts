/**
 * What the layout of plain text shows: a title, headings, page breaks with running heads, a table of contents. Pure.
 */

import { oneLine } from "../../../../src/text/one-line.js";
import { type Line, MAX_LINE_UNITS, type OmittedLines, omittedLines, type Shown } from "./plain-omitted.js";
import { indentOf, isBlank } from "./text-lines.js";

export type { OmittedLines } from "./plain-omitted.js";

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
  const omitted = omittedLines(shown, text, lines);
  return { title: titleOf(shown), headings: outsideOf(omitted, headingsOf(shown, lines)), omitted };
}

/** The headings that begin in no omitted range. Both lists ascend. */
function outsideOf<Range extends { start: number }>(omitted: readonly OmittedLines[], headings: Range[]): Range[] {
  let next = 0;
  return headings.filter(({ start }) => {
    while (next < omitted.length && omitted[next]!.end <= start) next++;
    return next === omitted.length || start < omitted[next]!.start;
  });
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
