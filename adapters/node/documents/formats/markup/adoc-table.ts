/** A table of AsciiDoc while its lines are read: cells become rows as soon as they are complete. */

import type { MarkupWriter } from "./markup-writer.js";

/** Longer cells over several lines are not put together. */
const MAX_QUOTED_UNITS = 10_000;
/** A line that begins a cell, with or without a specification of it. */
const HAS_CELL = /(?:^|\s)(?:\d{0,4}[.+*]?\d{0,4}[.+*])?[<^>]?[a-z]?\|/;
const CELL_START = /(?:^|(?<=\s))(?:[\d.+*<^>]*[adehlmsv]?)\|/;

export class AdocTable {
  readonly #writer: MarkupWriter;
  readonly #inline: (text: string) => string;
  /** 0 until it is known. */
  #columns: number;
  #header: boolean;
  /** Between the cells of a line; undefined where each cell has a mark in front of it. */
  readonly #separator: string | undefined;
  /** The beginning of a line whose quotation is not closed. */
  #quoted = "";
  #rows = 0;
  #cells: string[] = [];
  /** Line of the row's first cell. */
  #line = 0;

  /**
   * @param how.fence  the line that opens the table: "|===" or ",==="
   * @param how.options  the line of options above the table; "" if there is none
   */
  constructor(
    writer: MarkupWriter,
    { fence, options, inline }: { fence: string; options: string; inline: (text: string) => string },
  ) {
    this.#writer = writer;
    this.#inline = inline;
    this.#columns = columnsOf(options);
    this.#header = /header/.test(options);
    this.#separator = separatorOf(fence, options);
    writer.beginTable();
  }

  add(line: string, number: number): void {
    if (line === "" && this.#quoted === "") this.#blank();
    else if (this.#separator !== undefined) this.#addRow(line, this.#separator, number);
    else if (HAS_CELL.test(line)) this.#addCells(line.split(CELL_START).slice(1), number);
    else if (this.#cells.length > 0) this.#cells[this.#cells.length - 1] += ` ${line.trim()}`;
  }

  end(): void {
    if (this.#quoted !== "" && this.#separator !== undefined)
      this.#addCells(this.#quoted.split(this.#separator), this.#line);
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

  /** A line is a row; a quoted cell may continue on the next lines. */
  #addRow(line: string, separator: string, number: number): void {
    if (this.#quoted === "") this.#line = number;
    const text = this.#quoted === "" ? line : `${this.#quoted}\n${line}`;
    const { cells, isOpen } = separatedCells(text, separator);
    this.#quoted = isOpen && text.length < MAX_QUOTED_UNITS ? text : "";
    if (this.#quoted !== "") return;
    if (this.#rows === 0 && this.#cells.length > 0) this.#endRow();
    this.#cells = isOpen ? text.split(separator) : cells;
    if (this.#rows > 0 || this.#header) this.#endRow();
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

/** @returns isOpen: the last cell begins with a quotation mark and is not closed */
function separatedCells(line: string, separator: string): { cells: string[]; isOpen: boolean } {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    let end = line.indexOf(separator, at);
    if (line[at] === '"') {
      let close = line.indexOf('"', at + 1);
      while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
      if (close < 0) return { cells, isOpen: true };
      end = line.indexOf(separator, close);
      const rest = line.slice(close + 1, end < 0 ? undefined : end);
      cells.push(line.slice(at + 1, close).replaceAll('""', '"') + rest);
    } else cells.push(line.slice(at, end < 0 ? undefined : end));
    if (end < 0) return { cells, isOpen: false };
    at = end + separator.length;
  }
}

/** What separates the cells of a line, if the table is data and not AsciiDoc's own notation. */
function separatorOf(fence: string, options: string): string | undefined {
  const format = /format\s*=\s*"?(csv|tsv|dsv)/.exec(options)?.[1];
  const given = /separator\s*=\s*"?(\\t|[^"\]\s])/.exec(options)?.[1]?.replace("\\t", "\t");
  if (format === undefined && !/^[,:]/.test(fence)) return undefined;
  return given ?? { csv: ",", tsv: "\t", dsv: ":" }[format ?? ""] ?? fence[0];
}
