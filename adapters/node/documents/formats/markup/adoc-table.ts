/** A table of AsciiDoc while its lines are read: cells become rows as soon as they are complete. */

import type { MarkupWriter } from "./markup-writer.js";

/** A line that begins a cell, with or without a specification of it. */
const HAS_CELL = /(?:^|\s)(?:\d{0,4}[.+*]?\d{0,4}[.+*])?[<^>]?[a-z]?\|/;
const CELL_START = /(?:^|(?<=\s))(?:[\d.+*<^>]*[adehlmsv]?)\|/;

export class AdocTable {
  readonly #writer: MarkupWriter;
  readonly #inline: (text: string) => string;
  /** 0 until it is known. */
  #columns: number;
  #header: boolean;
  #rows = 0;
  #cells: string[] = [];
  /** Line of the row's first cell. */
  #line = 0;

  /** @param how.options  the line of options above the table; "" if there is none */
  constructor(writer: MarkupWriter, { options, inline }: { options: string; inline: (text: string) => string }) {
    this.#writer = writer;
    this.#inline = inline;
    this.#columns = columnsOf(options);
    this.#header = /header/.test(options);
    writer.beginTable();
  }

  add(line: string, number: number): void {
    if (line === "") this.#blank();
    else if (HAS_CELL.test(line)) this.#addCells(line.split(CELL_START).slice(1), number);
    else if (this.#cells.length > 0) this.#cells[this.#cells.length - 1] += ` ${line.trim()}`;
  }

  end(): void {
    this.#endRow();
    this.#writer.endTable();
  }

  /** A blank line after the first row makes it the header. */
  #blank(): void {
    if (this.#rows === 0 && this.#cells.length > 0) {
      if (this.#columns === 0) this.#columns = this.#cells.length;
      if (this.#cells.length === this.#columns) this.#header = true;
      this.#endRow();
    } else if (this.#columns === 0) this.#endRow();
  }

  #addCells(cells: readonly string[], number: number): void {
    if (this.#columns === 0 && cells.length > 1) this.#columns = cells.length;
    for (const cell of cells) {
      if (this.#cells.length === 0) this.#line = number;
      this.#cells.push(cell.trim());
      if (this.#columns > 0 && this.#cells.length === this.#columns) this.#endRow();
    }
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    this.#writer.row(this.#cells.map(this.#inline), this.#line, this.#rows === 0 && this.#header);
    this.#rows++;
    this.#cells = [];
  }
}

/** Number of columns that a table's options name; 0: as in its first row. */
function columnsOf(options: string): number {
  const cols = /cols\s*=\s*(?:"([^"]*)"|(\d+)\*?)/.exec(options);
  if (cols === null) return 0;
  if (cols[2] !== undefined) return Number(cols[2]);
  return (cols[1] ?? "").split(/[,;]/).reduce((sum, part) => sum + (Number(/^\s*(\d+)\*/.exec(part)?.[1]) || 1), 0);
}
