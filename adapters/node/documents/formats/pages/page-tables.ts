/** Tables of pages: lines whose parts are below each other. Pure. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { PageLine, PagePiece } from "./page-lines.js";

/** A row of a table. */
export interface TableRow {
  cells: readonly string[];
  /** The names of the columns, joined by " | "; "" if the table shows none, and in the row of the names itself. */
  header: string;
}

const MIN_ROWS = 3;
/** Longer cells are columns of text. */
const MAX_CELL_UNITS = 60;
/** Rows are at most this many line heights apart. */
const MAX_STEP = 3;

/** The lines of a page that are rows of a table. */
export function tableRows(lines: readonly PageLine[]): Map<PageLine, TableRow> {
  const rows = new Map<PageLine, TableRow>();
  for (let from = 0; from < lines.length; ) {
    const table = tableAt(lines, from);
    if (table.length >= MIN_ROWS) addRows(rows, lines.slice(from, from + table.length), table);
    from += Math.max(table.length, 1);
  }
  return rows;
}

/** The lines from `from` on whose cells are in the same columns. */
function tableAt(lines: readonly PageLine[], from: number): PagePiece[][] {
  const cells = cellsOf(lines[from]!, []);
  if (!isRow(cells)) return [];
  let columns: readonly Column[] = cells;
  const table = [cells];
  for (let i = from + 1; i < lines.length; i++) {
    const line = lines[i]!;
    const step = lines[i - 1]!.y - line.y;
    const row = cellsOf(line, columns);
    const fitted = isRow(row) ? widened(columns, row) : undefined;
    if (fitted === undefined || step <= 0 || step > MAX_STEP * Math.max(line.height, 1)) break;
    columns = fitted;
    table.push(row);
  }
  return table;
}

function isRow(cells: readonly PagePiece[]): boolean {
  return cells.length > 1 && cells.every(({ text }) => text.length <= MAX_CELL_UNITS);
}

/** A gap of this many line heights is wider than the spaces of most justified lines. */
const CELL_GAP = 0.9;
/** A piece that begins at most this far from the left edge of a column, in 1/72 inch, begins a cell of it. */
const ALIGNED = 2;

/** The cells of a line: pieces with wide gaps between them, or at the left edge of known columns. */
function cellsOf({ pieces = [], height }: PageLine, columns: readonly Column[]): PagePiece[] {
  const cells: PagePiece[] = [];
  for (const piece of pieces) {
    const last = cells.at(-1);
    const isApart = last === undefined || piece.left - last.right > CELL_GAP * height;
    if (isApart || columns.some(({ left }) => Math.abs(left - piece.left) <= ALIGNED)) cells.push({ ...piece });
    else {
      last.text += ` ${piece.text}`;
      last.right = Math.max(last.right, piece.right);
    }
  }
  return cells.map((cell) => ({ ...cell, text: oneLine(cell.text) }));
}

interface Column {
  left: number;
  right: number;
}

/** The columns, as wide as the cells of a further row need; undefined if a cell is in two columns, or shares one. */
function widened(columns: readonly Column[], cells: readonly PagePiece[]): Column[] | undefined {
  const wide = columns.map(({ left, right }) => ({ left, right }));
  const used = new Set<Column>();
  for (const cell of cells) {
    const [column, ...others] = wide.filter(({ left, right }) => cell.left < right && cell.right > left);
    if (column === undefined || others.length > 0 || used.has(column)) return undefined;
    used.add(column);
    column.left = Math.min(column.left, cell.left);
    column.right = Math.max(column.right, cell.right);
  }
  return wide;
}

function addRows(rows: Map<PageLine, TableRow>, lines: readonly PageLine[], table: readonly PagePiece[][]): void {
  const texts = table.map((cells) => cells.map(({ text }) => text));
  const [names, ...body] = texts as [string[], ...string[][]];
  const hasHeader = lines.slice(1).every(({ font }) => font !== lines[0]!.font) || isHeader(names, body);
  const header = names.join(" | ");
  for (const [i, line] of lines.entries())
    rows.set(line, { cells: texts[i]!, header: hasHeader && i > 0 ? header : "" });
}

/** Names have no digits, but each row has. */
function isHeader(names: readonly string[], body: readonly string[][]): boolean {
  const hasDigits = (cells: readonly string[]): boolean => cells.some((cell) => /\d/.test(cell));
  return !hasDigits(names) && body.every((cells) => hasDigits(cells) && cells.length <= names.length);
}
