import { type Pattern, test } from "./ascii.js";
import { beginsItem } from "./item-marks.js";
import { hasCells } from "./table-rows.js";

/** Consecutive lines that form a paragraph, a list item or a heading, trimmed of outer white space. */
interface Block {
  start: number;
  end: number;
  /**
   * True if a paragraph begins here (after a blank line, a new page, a long line or a row of a table); false for the
   * next line of a list.
   */
  paragraphStart: boolean;
}

interface Line {
  /** The range without leading and trailing white space. */
  start: number;
  end: number;
  /** Width in columns: characters of East Asian scripts take two. */
  columns: number;
  /** The line break after this line is a page or paragraph separator. */
  separated: boolean;
}

/** No text is wrapped at more columns than this: a longer line is a paragraph. */
const WIDEST_WRAP = 160;
/** No text is wrapped at fewer columns than this: if all lines are shorter, the breaks are intentional. */
const NARROWEST_WRAP = 40;
/** A line this much shorter than its neighbours was broken intentionally. */
const SHORT_LINE_SHARE = 0.6;

/** How much shorter than the others a full line without spaces can be, because some marks cannot begin a line. */
const MAX_HANGING = 4;

const HEADING = /^#{1,6}\s/;
const RULE = /^(?:[-=_*~]\s*){3,}$/;
const TABLE_ROW = /^\|/;
/** How a line begins. */
export const BLOCK_PATTERNS = {
  startsSmall: { ascii: /^["'([]*[a-z]/, full: /^["'“‘(«[]*\p{Ll}/u },
  startsWithNumber: { ascii: /^[0-9]/, full: /^\p{N}/u },
} satisfies Record<string, Pattern>;
const CONTINUED =
  /[,;:(\-–—/&，、；：（「『《]$|\s(?:a|an|the|of|and|or|to|in|for|with|by|on|at|from|de|la|von|van)$/iu;

/** True for Chinese characters, kana and their punctuation: text that breaks between any two of them. */
export function isUnspaced(unit: number): boolean {
  return unit >= 0x2e80 && (unit <= 0x312f || (unit >= 0x31a0 && unit <= 0x9fff) || isWideVariant(unit));
}

const isWideVariant = (unit: number): boolean =>
  (unit >= 0xf900 && unit <= 0xfaff) || (unit >= 0xff00 && unit <= 0xff60);

/** True for units that take two columns, and for Hangul. Halves of pairs take one each. */
function isWide(unit: number): boolean {
  return unit >= 0x1100 && (unit <= 0x11ff || isUnspaced(unit) || (unit >= 0x3130 && unit <= 0xd7a3));
}

/** White space as defined by `String.prototype.trim`. */
export function isWhiteSpace(unit: number): boolean {
  if (unit < 0xa0) return unit === 32 || (unit >= 9 && unit <= 13);
  return (
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/**
 * The blocks of `text[from, to)` in order. A blank line always ends a block; a single line break does so before a list
 * item, around a heading, a table row or a rule, after a line too long or too short to have been wrapped. O(to − from)
 */
export function* splitBlocks(text: string, from: number, to: number): Generator<Block> {
  let block: Block | undefined;
  let previous: Line | undefined;
  let width = 0;
  let paragraphStart = true;
  for (let position = from; position < to; ) {
    const [line, next] = readLine(text, position, to);
    position = next;
    const blank = line.start === line.end;
    if (block && previous && (blank || breaksBetween(text, previous, line, width))) {
      yield block;
      paragraphStart ||= previous.columns > WIDEST_WRAP || areRows(text, previous, line);
      block = undefined;
    }
    if (blank) {
      paragraphStart = true;
      continue;
    }
    if (block) {
      block.end = line.end;
    } else {
      paragraphStart ||= HEADING.test(text.slice(line.start, line.start + 8));
      block = { start: line.start, end: line.end, paragraphStart };
      width = 0;
    }
    paragraphStart = line.separated;
    width = Math.max(width, line.columns);
    previous = line;
  }
  if (block) yield block;
}

/** The line at `from` and the start of the next one. */
function readLine(text: string, from: number, to: number): [Line, number] {
  let start = -1;
  let end = from;
  let i = from;
  let wide = 0;
  let separated = false;
  for (; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (isWhiteSpace(unit)) {
      if ((unit >= 10 && unit <= 13) || unit === 0x2028 || unit === 0x2029) {
        separated = unit === 12 || unit === 0x2029;
        break;
      }
    } else {
      if (start < 0) start = i;
      end = i + 1;
      if (unit >= 0x1100 && isWide(unit)) wide++;
    }
  }
  if (start < 0) start = end;
  const next = text.charCodeAt(i) === 13 && i + 1 < to && text.charCodeAt(i + 1) === 10 ? i + 2 : i + 1;
  return [{ start, end, columns: end - start + wide, separated }, next];
}

/**
 * Whether the single line break between two lines, neither of them blank, ends a block. `width`: the widest line so
 * far.
 */
function breaksBetween(text: string, line: Line, next: Line, width: number): boolean {
  if (line.separated) return true;
  if (line.columns > WIDEST_WRAP || areRows(text, line, next)) return true;
  const shown = text.slice(line.start, line.end);
  const following = text.slice(next.start, Math.min(next.end, next.start + WIDEST_WRAP));
  if (beginsItem(following, shown) || HEADING.test(following) || TABLE_ROW.test(following) || RULE.test(following)) {
    return true;
  }
  if (HEADING.test(shown) || TABLE_ROW.test(shown) || RULE.test(shown)) return true;
  if (test(BLOCK_PATTERNS.startsSmall, following) || CONTINUED.test(shown)) return false;
  const widest = Math.max(width, next.columns);
  if (widest < NARROWEST_WRAP) return true;
  if (isUnspaced(text.charCodeAt(line.end - 1)) && isUnspaced(following.charCodeAt(0))) {
    return line.columns < widest - MAX_HANGING;
  }
  const wouldHaveBeen = line.columns + 1 + firstWordColumns(following);
  return wouldHaveBeen <= SHORT_LINE_SHARE * widest && !test(BLOCK_PATTERNS.startsWithNumber, following);
}

/** Two lines with cells: one alone may be prose with a vertical bar in it. */
const areRows = (text: string, line: Line, next: Line): boolean => hasCells(text, line) && hasCells(text, next);

function firstWordColumns(line: string): number {
  const end = line.search(/\s/);
  let columns = end < 0 ? line.length : end;
  for (let i = columns - 1; i >= 0; i--) if (isWide(line.charCodeAt(i))) columns++;
  return columns;
}
