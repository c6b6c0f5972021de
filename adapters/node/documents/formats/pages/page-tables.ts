/** Tables of pages: rows of cells, of which each may have several lines. Pure. */

import type { PageLine, PagePiece } from "./page-lines.js";
import { type Column, columnOf, MAX_CELL_LINES, type TableLine, tableLinesAround, UPWARDS } from "./table-lines.js";

/** A row of a table. */
export interface TableRow {
  /** By column of the table, up to the last one with text; "" for an empty cell. */
  cells: readonly string[];
  /** The names of the columns, joined by " | "; "" if the table shows none, and in the row of the names itself. */
  header: string;
}

/** A line of a page, or the lines of a row as one. */
interface PageEntry {
  line: PageLine;
  row?: TableRow;
}

const MIN_ROWS = 3;
/** Lines that are in columns without being a table are looked at again at most this often, from a later one on. */
const MAX_ATTEMPTS = 8;

/** The lines of a page, with the rows of its tables in their place. */
export function withTables(lines: readonly PageLine[]): PageEntry[] {
  const entries: PageEntry[] = [];
  let next = 0;
  for (let seed = 0; seed < lines.length; seed++) {
    if ((lines[seed]!.pieces?.length ?? 1) < 2) continue;
    const found = tableLinesAround(lines, seed, next);
    if (found === undefined) continue;
    const rows = rowsOf(found.lines, found.columns);
    const table = tableOf(rows);
    if (table === undefined) {
      seed += Math.floor(found.lines.length / MAX_ATTEMPTS);
      continue;
    }
    const end = found.first + found.lines.length;
    for (const line of lines.slice(next, found.first)) entries.push({ line });
    for (const one of table) entries.push(...entriesOf(one));
    next = end;
    seed = end - 1;
  }
  for (const line of lines.slice(next)) entries.push({ line });
  return entries;
}

/** A row while its lines are collected, with the parts of each cell by column. */
interface Row {
  lines: TableLine[];
  cells: Map<number, PagePiece[]>;
}

/** Lines that follow each other in a cell are at most this many line heights apart. */
const CELL_STEP = 1.7;

function rowsOf(lines: readonly TableLine[], columns: readonly Column[]): Row[] {
  const isCellByCell = lines.some(({ line }, i) => i > 0 && line.y > lines[i - 1]!.line.y + UPWARDS * line.height);
  const rows: Row[] = [];
  let lastColumn = -1;
  for (const [i, { line, parts }] of lines.entries()) {
    const own = parts.map((part) => columnOf(columns, part));
    const row = rows.at(-1);
    const step = i === 0 ? 0 : lines[i - 1]!.line.y - line.y;
    const isClose = step <= CELL_STEP * Math.max(line.height, 1);
    const wraps = (n: number, k: number): boolean => isForced(row!.cells.get(n)?.at(-1), parts[k]!, columns[n]!);
    let continues = false;
    if (row !== undefined && isCellByCell) {
      continues = own[0]! > lastColumn || (own[0] === lastColumn && isClose && (lastColumn > 0 || wraps(own[0]!, 0)));
    } else if (row !== undefined) {
      const isBeside = step < UPWARDS * line.height && own.every((n) => !row.cells.has(n));
      continues = isBeside || (isClose && own.length < Math.max(row.cells.size, 2) && own.every(wraps));
    }
    if (!continues) rows.push({ lines: [], cells: new Map() });
    add(rows.at(-1)!, { line, parts }, own);
    lastColumn = own.at(-1)!;
  }
  return rows;
}

function add(row: Row, tableLine: TableLine, columns: readonly number[]): void {
  row.lines.push(tableLine);
  for (const [k, part] of tableLine.parts.entries()) {
    const cell = row.cells.get(columns[k]!);
    if (cell === undefined) row.cells.set(columns[k]!, [part]);
    else cell.push(part);
  }
}

/** Whether the first word of a part had no room at the end of the line above it in its column. */
function isForced(above: PagePiece | undefined, { text, left, right }: PagePiece, column: Column): boolean {
  if (above === undefined) return false;
  if (!/\s/.test(above.text) && !/\s/.test(text) && /\d/.test(text)) return false; // numbers below each other
  const letter = (right - left) / Math.max(text.length, 1);
  const word = /^\S*/.exec(text)![0].length;
  return above.right + (word + 1) * letter >= column.right;
}

/** "1.", "a)", "(iv)" or a bullet: the first column of a list. */
export const LIST_MARK = /^(?:[•‣◦▪●■·*–—-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])$/iu;

/** The rows as parts of one table or, divided at lines that are no rows, of several; undefined if none is a table. */
function tableOf(rows: readonly Row[]): Row[][] | undefined {
  const tables: Row[][] = [];
  let open: Row[] = [];
  let hasTable = false;
  const close = (): void => {
    if (open.length > 0) tables.push(open);
    hasTable ||= isTable(open);
    open = [];
  };
  for (const row of rows) {
    if (row.cells.size > 1) open.push(row);
    else {
      close();
      tables.push([row]);
    }
  }
  close();
  return hasTable ? tables : undefined;
}

function isTable(rows: readonly Row[]): boolean {
  if (rows.length < MIN_ROWS) return false;
  if (rows.some(({ cells }) => [...cells.values()].some(({ length }) => length > MAX_CELL_LINES))) return false;
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const marks = rows.filter(({ cells }) => LIST_MARK.test(textOf(cells.get(Math.min(...columns)))));
  if (columns.size === 2 && marks.length * 2 > rows.length) return false;
  const filled = (column: number): number => rows.filter(({ cells }) => cells.has(column)).length;
  return [...columns].every((column) => rows[0]!.cells.has(column) || filled(column) * 2 >= rows.length);
}

function entriesOf(rows: readonly Row[]): PageEntry[] {
  if (!isTable(rows)) return rows.flatMap(({ lines }) => lines.map(({ line }) => ({ line })));
  const lines = rows.map(lineOf);
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].sort((a, b) => a - b);
  const texts = rows.map(({ cells }) =>
    columns.slice(0, columns.indexOf(Math.max(...cells.keys())) + 1).map((column) => textOf(cells.get(column))),
  );
  const [names, ...body] = texts as [string[], ...string[][]];
  const hasHeader = lines.slice(1).every(({ font }) => font !== lines[0]!.font) || isHeader(names, body);
  const header = names.join(" | ");
  return lines.map((line, i) => ({ line, row: { cells: texts[i]!, header: hasHeader && i > 0 ? header : "" } }));
}

/** The lines of a row as one. */
function lineOf({ lines }: Row): PageLine {
  const [{ line: first }] = lines as [TableLine, ...TableLine[]];
  if (lines.length === 1) return first;
  const all = lines.map(({ line }) => line);
  return {
    text: all.map(({ text }) => text).join(" "),
    left: Math.min(...all.map(({ left }) => left)),
    right: Math.max(...all.map(({ right }) => right)),
    y: Math.min(...all.map(({ y }) => y)),
    height: first.height,
    font: all.every(({ font }) => font === first.font) ? first.font : "",
  };
}

/** The text of a cell; a word that the end of a line divides is joined. */
function textOf(parts: readonly PagePiece[] = []): string {
  return parts.reduce((text, part) => {
    if (text === "") return part.text;
    const isDivided = /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(part.text);
    return isDivided ? text.slice(0, -1) + part.text : `${text} ${part.text}`;
  }, "");
}

/** Names have no digits, but each row has. */
function isHeader(names: readonly string[], body: readonly string[][]): boolean {
  const hasDigits = (cells: readonly string[]): boolean => cells.some((cell) => /\d/.test(cell));
  const filled = (cells: readonly string[]): number => cells.filter((cell) => cell !== "").length;
  return !hasDigits(names) && body.every((cells) => hasDigits(cells) && filled(cells) <= filled(names));
}
