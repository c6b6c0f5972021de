/** Which lines of a page are a table: their parts are below each other, in columns with gaps between them. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import { isSameSize, type PageLine, type PagePiece } from "./page-lines.js";

/** A line of a table, with its parts in columns: one for each column that it fills. */
export interface TableLine {
  line: PageLine;
  parts: readonly PagePiece[];
}

/** A range of x that no part of a line leaves. */
export interface Column {
  left: number;
  right: number;
}

interface TableLines {
  /** Index of the first line. */
  first: number;
  lines: TableLine[];
  /** From left to right; they do not overlap. */
  columns: readonly Column[];
}

/** Longer parts are columns of text. */
const MAX_PART_UNITS = 60;
/** More columns are not a table that anyone reads. */
const MAX_COLUMNS = 48;
/** A page has fewer lines; a longer table is divided. */
const MAX_LINES = 500;
/** Lines of the longest cell. */
export const MAX_CELL_LINES = 12;
/** Rows are at most this many line heights apart. */
const MAX_STEP = 3;
/** A line that is higher than the one before it by this many line heights begins the next cell of a row. */
export const UPWARDS = 0.3;
/** Sizes of letters in one table differ by at most this factor. */
const MAX_SIZE_RATIO = 1.3;

/**
 * The lines around `seed`, a line with several parts, whose parts are in the same columns. A line with one part
 * belongs to them if it is inside a column. Files have the lines of a table row by row, or cell by cell in each row.
 * @param from  lines before it belong to something else
 * @returns undefined if the line has one part, or a part that is too long
 */
export function tableLinesAround(lines: readonly PageLine[], seed: number, from: number): TableLines | undefined {
  const grid = new Grid();
  const parts = partsOf(lines[seed]!, []);
  if (parts.length < 2 || !grid.add(lines[seed]!, parts)) return undefined;
  let first = seed;
  const lowest = Math.max(from, seed - MAX_CELL_LINES * MAX_COLUMNS);
  while (first > lowest && grid.addBefore(lines[first - 1]!)) first--;
  for (let next = seed + 1; next < lines.length && grid.addAfter(lines[next]!, lines[next + 1]); next++);
  return { first, lines: grid.lines, columns: grid.columns };
}

class Grid {
  readonly lines: TableLine[] = [];
  columns: Column[] = [];
  /** y of the lowest line. */
  #bottom = Number.POSITIVE_INFINITY;
  /** The current row is below this y. */
  #ceiling = Number.POSITIVE_INFINITY;

  /** @param next  the line after it: the next cell may begin higher, where a cell is in the middle of its row */
  addAfter(line: PageLine, next: PageLine | undefined): boolean {
    const { line: last, parts: lastParts } = this.lines.at(-1)!;
    const height = Math.max(line.height, 1);
    const top = next !== undefined && next.left > line.right ? Math.max(line.y, next.y) : line.y;
    if (this.#bottom - top > MAX_STEP * height || !isSameSize(line, last, { factor: MAX_SIZE_RATIO })) return false;
    const parts = partsOf(line, this.columns);
    const isRight =
      parts[0]!.left > lastParts.at(-1)!.left && this.#columnOf(parts[0]!) !== this.#columnOf(lastParts.at(-1)!);
    if (line.y > last.y + UPWARDS * height) {
      const isInRow = line.y < this.#ceiling && line.y - this.#bottom < MAX_CELL_LINES * 2 * height;
      if (!isRight || !isInRow) return false;
    } else if (!isRight) {
      if (line.y >= this.#bottom && parts[0]!.left < lastParts[0]!.left) return false;
      if (parts[0]!.left < lastParts[0]!.left) this.#ceiling = this.#bottom;
    }
    return this.add(line, parts);
  }

  /** Above the first line with several parts, a line with one part may begin its row. */
  addBefore(line: PageLine): boolean {
    const first = this.lines[0]!;
    const height = Math.max(line.height, 1);
    const parts = partsOf(line, this.columns);
    if (parts.length > 1 || !isSameSize(line, first.line, { factor: MAX_SIZE_RATIO })) return false;
    const isAbove = line.y > first.line.y && line.y - first.line.y <= MAX_STEP * height;
    const isBesideOrBelow =
      line.y <= first.line.y &&
      first.line.y - line.y < MAX_CELL_LINES * 2 * height &&
      parts[0]!.right < first.parts[0]!.left;
    return (isAbove || isBesideOrBelow) && this.add(line, parts, { isFirst: true });
  }

  /** Whether the columns stay apart with this line; it is added if so. */
  add(line: PageLine, parts: readonly PagePiece[], { isFirst = false } = {}): boolean {
    if (
      parts.length > MAX_COLUMNS ||
      this.lines.length === MAX_LINES ||
      parts.some(({ text }) => text.length > MAX_PART_UNITS)
    )
      return false;
    const columns = united(this.columns, parts);
    if (columns.length > MAX_COLUMNS || (this.lines.length > 0 && columns.length < 2)) return false;
    const isWider = columns.length < this.columns.length;
    const checked = isWider ? [{ parts }, ...this.lines] : [{ parts }];
    if (!checked.every((one) => isApart(one.parts, columns))) return false;
    this.columns = columns;
    this.lines[isFirst ? "unshift" : "push"]({ line, parts });
    this.#bottom = Math.min(this.#bottom, line.y);
    return true;
  }

  #columnOf(part: PagePiece): number {
    return columnOf(this.columns, part);
  }
}

/** Index of the column that a part is in; −1 if there is none yet. */
export function columnOf(columns: readonly Column[], { left, right }: Column): number {
  return columns.findIndex((column) => left < column.right && right > column.left);
}

/** A gap of this many line heights is wider than the spaces of most justified lines. */
const PART_GAP = 0.9;
/** A piece that begins at most this far from the left edge of a column, in 1/72 inch, begins a part in it. */
const ALIGNED = 2;

/** The parts of a line: pieces with wide gaps between them, or at the left edge of known columns. */
function partsOf({ pieces, height, text, left, right }: PageLine, columns: readonly Column[]): PagePiece[] {
  const parts: PagePiece[] = [];
  for (const piece of pieces ?? [{ text, left, right }]) {
    const last = parts.at(-1);
    const isApart = last === undefined || piece.left - last.right > PART_GAP * height;
    if (isApart || columns.some((column) => Math.abs(column.left - piece.left) <= ALIGNED)) parts.push({ ...piece });
    else {
      last.text += ` ${piece.text}`;
      last.right = Math.max(last.right, piece.right);
    }
  }
  return parts.map((part) => ({ ...part, text: oneLine(part.text) }));
}

/** The columns with the ranges of the parts; those that overlap are one. O((columns + parts) · log) */
function united(columns: readonly Column[], parts: readonly Column[]): Column[] {
  const sorted = [...columns, ...parts].sort((a, b) => a.left - b.left);
  const joined: Column[] = [];
  for (const { left, right } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else joined.push({ left, right });
  }
  return joined;
}

/** Whether each part of a line has a column of its own. */
function isApart(parts: readonly PagePiece[], columns: readonly Column[]): boolean {
  return new Set(parts.map((part) => columnOf(columns, part))).size === parts.length;
}
