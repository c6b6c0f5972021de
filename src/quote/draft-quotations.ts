/** Finds the quotations of a draft, with the sources that it names next to them. */

import { markedRanges } from "../text/quotation-marks.js";
import { hasWord } from "../text/words.js";
import { blocksOf, type DraftBlock, type DraftBlocks, QUOTE_MARKS } from "./draft-blocks.js";
import { namedSource, sourceAtEnd, sourceLine } from "./draft-source.js";
import type { QuotationInput } from "./types.js";

/** Text of a paragraph on both sides of a quotation in which its source is looked for. */
const CONTEXT_UNITS = 600;

const LIST_MARK = /^\s*(?:[-*+•–]|\d{1,9}[.)])\s/u;
/** The first line of a block that is a note or a warning. */
const ALERT = /^\s*\[!\p{L}+\]\s*$/u;

export interface DraftQuotation extends QuotationInput {
  /** Range in the draft, in UTF-16 units, without the marks. */
  start: number;
  end: number;
  /** From 1. */
  line: number;
  kind: "marks" | "block";
}

export interface DraftQuotations {
  quotations: DraftQuotation[];
  /** Lines with a quotation mark that is not closed in its paragraph; what follows it is not checked. */
  unclosed: number[];
}

/**
 * Quotations in quotation marks of any kind, and Markdown block quotes, in the order of the draft.
 * Code, front matter, tags and addresses are left out; a quotation inside another is part of it.
 * Time O(draft).
 * @param draft  Markdown or plain text
 */
export function quotationsIn(draft: string): DraftQuotations {
  const parts = blocksOf(draft);
  const quotations: DraftQuotation[] = [];
  const unclosedAt: number[] = [];
  for (const [n, block] of parts.blocks.entries()) {
    if (block.kind === "quote") {
      const found = blockQuotation(draft, parts, { block, next: parts.blocks[n + 1] });
      if (found !== undefined) quotations.push(found);
      continue;
    }
    const { inside, unclosed } = markedRanges(parts.masked.slice(block.start, block.end));
    for (const at of unclosed) unclosedAt.push(block.start + at);
    for (const range of inside) {
      const start = block.start + range.start;
      const end = block.start + range.end;
      const text = plainText(draft.slice(start, end));
      if (!hasWord(text)) continue;
      const before = draft.slice(Math.max(block.start, start - 1 - CONTEXT_UNITS), start - 1);
      const after = draft.slice(end + 1, Math.min(block.end, end + 1 + CONTEXT_UNITS));
      const source = namedSource(text, { before, after }, parts.notes);
      quotations.push({ text, ...source, start, end, line: 0, kind: "marks" });
    }
  }
  const lineOf = lineCounter(draft);
  for (const quotation of quotations) quotation.line = lineOf(quotation.start);
  const lineOfMark = lineCounter(draft);
  return { quotations, unclosed: unclosedAt.map(lineOfMark) };
}

function blockQuotation(
  draft: string,
  { notes }: DraftBlocks,
  { block, next }: { block: DraftBlock; next: DraftBlock | undefined },
): DraftQuotation | undefined {
  const { start, end } = block;
  const lines = draft
    .slice(start, end)
    .split(/\r?\n/)
    .map((line) => line.replace(QUOTE_MARKS, ""));
  if (ALERT.test(lines[0]!)) lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  const isList = lines.slice(0, -1).some((line) => LIST_MARK.test(line)) && LIST_MARK.test(lines.at(-1)!);
  let attributedTo = lines.length > 1 && !isList ? sourceLine(lines.at(-1)!) : undefined;
  if (attributedTo !== undefined) lines.pop();
  let text = lines.join("\n").trim();
  const note = /\[\^?([^[\]\s]{1,60})\]$/.exec(text);
  if (note !== null && notes.has(note[1]!)) {
    attributedTo ??= notes.get(note[1]!);
    text = text.slice(0, note.index);
  }
  if (attributedTo === undefined) {
    const cited = sourceAtEnd(text);
    attributedTo = cited?.name;
    text = text.slice(0, cited?.index);
  }
  if (attributedTo === undefined && next?.kind === "paragraph") {
    const line = draft.slice(next.start, Math.min(next.end, next.start + CONTEXT_UNITS)).split("\n")[0]!;
    attributedTo = sourceLine(line) ?? (next.start === end ? /^\(([^()]{2,200})\)\s*$/u.exec(line)?.[1] : undefined);
  }
  const plain = withoutMarks(plainText(text));
  if (!hasWord(plain)) return undefined;
  return { text: plain, ...(attributedTo && { attributedTo }), start, end, line: 0, kind: "block" };
}

/** A block quote that is in quotation marks as a whole. */
function withoutMarks(text: string): string {
  const { inside } = markedRanges(text);
  const [only] = inside;
  return inside.length === 1 && only!.start === 1 && only!.end === text.length - 1 ? text.slice(1, -1) : text;
}

/** Without emphasis, links, note marks and tags. O(markdown): no expression reads past the next mark of its kind. */
function plainText(markdown: string): string {
  return markdown
    .replace(/\[\^[^[\]\s]{1,60}\]/gu, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/gu, "$1")
    .replace(/<\/?(?:a|abbr|b|br|cite|em|i|mark|q|small|span|strong|su[bp]|u)(?:\s[^<>]*)?\/?>/giu, "")
    .replace(/\*\*(?=\S)((?:[^*\n]|\*(?!\*))+)(?<=\S)\*\*/gu, "$1")
    .replace(/__(?=\S)((?:[^_\n]|_(?!_))+)(?<=\S)__/gu, "$1")
    .replace(/(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/`([^`\n]+)`/gu, "$1")
    .replace(/\\([!-/:-@[-`{-~])/gu, "$1")
    .replace(/\\$/u, "") // of a closing mark: \"…\"
    .split("\n")
    .map((line, n) => (n === 0 ? line : line.replace(/^[ \t>]+/u, "")).trimEnd())
    .join("\n")
    .trim();
}

/** Line numbers of ascending offsets. */
function lineCounter(draft: string): (offset: number) => number {
  let line = 1;
  let at = draft.indexOf("\n");
  return (offset) => {
    while (at >= 0 && at < offset) {
      line++;
      at = draft.indexOf("\n", at + 1);
    }
    return line;
  };
}
