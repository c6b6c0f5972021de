/** A table of AsciiDoc while its lines are read: cells become rows as soon as they are complete. */

import { BULLET } from "../list-marks.js";
import type { MarkupWriter } from "./markup-writer.js";
import { separatedCells } from "./separated-cells.js";

/** Longer cells over several lines are not put together. */
const MAX_QUOTED_UNITS = 10_000;
/** Columns and rows that a cell covers, or its repetitions. */
const MAX_SPAN = 20;

/**
 * A cell with what is written in front of its mark: "2+" for two columns, ".3+" for three rows, "4*" for four times.
 */
interface Cell {
  text: string;
  columns: number;
  rows: number;
  times: number;
}

export class AdocTable {
  readonly #writer: MarkupWriter;
  readonly #inline: (text: string) => string;
  /** 0 until it is known. */
  #columns: number;
  /** Between the cells of a line; undefined where each cell has a mark in front of it. */
  readonly #separator: string | undefined;
  /** The beginning of a line whose quotation is not closed. */
  #quoted = "";
  #rows = 0;
  #cells: string[] = [];
  /** How many of the next rows a cell above covers, by column. */
  readonly #covered: number[] = [];
  /** Index of the cell that was added last. */
  #lastCell = 0;
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
    this.#separator = separatorOf(fence, options);
    writer.blank();
  }

  add(line: string, number: number): void {
    if (line === "" && this.#quoted === "") this.#blank(number);
    else if (this.#separator !== undefined) this.#addRow(line, this.#separator, number);
    else this.#addLine(line, number);
  }

  end(): void {
    if (this.#quoted !== "" && this.#separator !== undefined) this.#cells = this.#quoted.split(this.#separator);
    this.#endRow();
    this.#writer.blank();
  }

  /** A blank line ends a first row on one line: it is the header. */
  #blank(number: number): void {
    const isWhole = this.#columns === 0 || (this.#cells.length === this.#columns && this.#line === number - 1);
    if (this.#rows === 0 && this.#cells.length > 0 && isWhole) {
      if (this.#columns === 0) this.#columns = this.#cells.length;
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
    this.#cells = isOpen ? text.split(separator) : cells;
    this.#endRow();
  }

  /** Cells begin on a line; text before the first of them continues the last cell above. */
  #addLine(line: string, number: number): void {
    const { before, cells } = cellsOf(line);
    if (this.#cells.length > 0 && before !== "")
      this.#cells[this.#lastCell] += ` ${before.replace(/^\*+\s/, `${BULLET} `)}`;
    if (this.#columns === 0 && cells.length > 1)
      this.#columns = cells.reduce((sum, { columns, times }) => sum + columns * times, 0);
    for (const cell of cells) for (let i = 0; i < cell.times; i++) this.#addCell(cell, number);
  }

  /** A complete row ends where the next one begins: its last cell may continue until then. */
  #addCell({ text, columns, rows }: Cell, number: number): void {
    if (this.#isComplete()) this.#endRow();
    this.#skipCovered();
    if (this.#isComplete()) {
      this.#endRow();
      this.#covered.length = 0; // each row has a cell of its own
    }
    if (this.#cells.every((cell) => cell === "")) this.#line = number;
    for (let i = 0; i < columns; i++) {
      this.#covered[this.#cells.length] = rows - 1;
      this.#cells.push(i === 0 ? text : "");
    }
    this.#lastCell = this.#cells.length - columns;
  }

  #isComplete(): boolean {
    return this.#columns > 0 && this.#cells.length >= this.#columns;
  }

  /** Leaves the columns empty that a cell above covers. */
  #skipCovered(): void {
    for (let column = this.#cells.length; (this.#covered[column] ?? 0) > 0; column++) {
      this.#covered[column]!--;
      this.#cells.push("");
    }
  }

  /** Cells without their markup; repetitions of a cell are read once. */
  #texts(): string[] {
    const texts = new Map(this.#cells.map((cell) => [cell, ""]));
    for (const cell of texts.keys()) texts.set(cell, this.#inline(cell));
    return this.#cells.map((cell) => texts.get(cell)!);
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    this.#writer.row(this.#texts(), this.#line);
    this.#rows++;
    this.#cells = [];
  }
}

/** The cells that begin on a line, and the text before the first of them. */
function cellsOf(line: string): { before: string; cells: Cell[] } {
  const [before = "", ...texts] = ` ${line}`.replaceAll("\\|", ESCAPED_MARK).split("|");
  const cells: Cell[] = [];
  /** What is written in front of the mark of the next cell is at the end of the text before. */
  let specification = SPECIFICATION.exec(before);
  const first = texts.length === 0 ? before : before.slice(0, specification?.index);
  for (const [i, text] of texts.entries()) {
    const [, columns, rows, kind] = specification ?? [];
    specification = i + 1 < texts.length ? SPECIFICATION.exec(text) : null;
    cells.push({
      text: plainText(text.slice(0, specification?.index)),
      ...{ columns: kind === "+" ? spanOf(columns) : 1, rows: spanOf(rows), times: kind === "*" ? spanOf(columns) : 1 },
    });
  }
  return { before: plainText(first), cells };
}

/** "2+", ".3+", "2.3+", "4*" and the alignment and style of a cell, after white space. */
const SPECIFICATION = /\s(?:(\d*)(?:\.(\d+))?([+*]))?(?:\.?[<^>])*[adehlmsv]?$/;
const ESCAPED_MARK = "\ue000";

function plainText(text: string): string {
  return text.replaceAll(ESCAPED_MARK, "|").trim();
}

function spanOf(digits: string | undefined): number {
  return Math.min(MAX_SPAN, Math.max(1, Number(digits) || 1));
}

/** Number of columns that a table's options name; 0: as in its first row. */
function columnsOf(options: string): number {
  const cols = /cols\s*=\s*(?:"([^"]*)"|(\d+)\*?)/.exec(options);
  if (cols === null) return 0;
  if (cols[2] !== undefined) return Number(cols[2]);
  return (cols[1] ?? "").split(/[,;]/).reduce((sum, part) => sum + (Number(/^\s*(\d+)\*/.exec(part)?.[1]) || 1), 0);
}

/** What separates the cells of a line, if the table is data and not AsciiDoc's own notation. */
function separatorOf(fence: string, options: string): string | undefined {
  const format = /format\s*=\s*"?(csv|tsv|dsv)/.exec(options)?.[1];
  const given = /separator\s*=\s*"?(\\t|[^"\]\s])/.exec(options)?.[1]?.replace("\\t", "\t");
  if (format === undefined && !/^[,:]/.test(fence)) return undefined;
  return given ?? { csv: ",", tsv: "\t", dsv: ":" }[format ?? ""] ?? fence[0];
}
