/** Cells of the tables of reStructuredText, by the columns of their borders. */

export interface GridRow {
  cells: string[];
  /** Offset of its first line from that of the table. */
  line: number;
}

const BORDER = /^\+(?:[-=]+\+)+$/;
/** More columns are a drawing. */
const MAX_COLUMNS = 200;

/** A table whose cells have borders on all sides. Cells over several rows or columns leave the others empty. */
export class RstGrid {
  readonly #lines: readonly string[];
  /** Where the columns begin and end: the "+" of all whole borders. */
  readonly #bounds: readonly number[];

  constructor(lines: readonly string[]) {
    this.#lines = lines.map((line) => line.trim());
    const bounds = new Set<number>();
    for (const line of this.#lines) {
      if (!BORDER.test(line)) continue;
      for (const { index } of line.matchAll(/\+/g)) if (bounds.size <= MAX_COLUMNS) bounds.add(index);
    }
    this.#bounds = [...bounds].sort((a, b) => a - b);
  }

  *rows(): Generator<GridRow> {
    let row: GridRow | undefined;
    for (const [i, line] of this.#lines.entries()) {
      const cells = this.#cellsOf(line);
      // A border below some of the columns ends the row for all: a cell that continues has its text above.
      if (cells.some((cell) => /^[-=]+$/.test(cell))) {
        if (row !== undefined) yield row;
        row = undefined;
      }
      const texts = cells.map((cell) => (/^[-=]+$/.test(cell) ? "" : cell.trim()));
      if (row === undefined && texts.every((text) => text === "")) continue;
      row ??= { cells: texts.map(() => ""), line: i };
      for (const [c, text] of texts.entries()) row.cells[c] = `${row.cells[c] ?? ""} ${text}`;
    }
    if (row !== undefined) yield row;
  }

  /** What is between the bounds; a text across one of them belongs to the column where it begins. */
  #cellsOf(line: string): string[] {
    const columns = this.#bounds.length - 1;
    // Wide characters move the bounds.
    const byMark = line.split("|").slice(1, -1);
    if (byMark.length === columns) return byMark;
    const last = /[|+]$/.test(line) ? line.length - 1 : line.length;
    const cells: string[] = new Array(columns).fill("");
    let first = 0;
    for (let c = 1; c <= columns; c++) {
      const end = this.#bounds[c]!;
      if (c < columns && !"|+".includes(line[end] ?? " ")) continue;
      cells[first] = line.slice(this.#bounds[first]! + 1, c === columns ? last : end);
      first = c;
    }
    return cells;
  }
}

/** The cells of a line of a table without sides. @param starts  where its columns begin */
export function simpleCells(line: string, starts: readonly number[]): string[] {
  const cells = starts.map(() => "");
  let first = 0;
  for (let c = 1; c <= starts.length; c++) {
    // Text in the gap before a column is in a cell over both.
    if (c < starts.length && (line[starts[c]! - 1] ?? " ") !== " ") continue;
    cells[first] = line.slice(starts[first], starts[c]).trim();
    first = c;
  }
  return cells;
}
