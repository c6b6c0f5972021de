/** Writes the rows of spreadsheets, each as a line of cells. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { MetadataValue } from "../../../../../src/types.js";
import { metadataOf } from "../records.js";
import type { TextBuilder } from "../text-builder.js";

const NUMBER = /^[-+]?\d[\d.,]*\s?[%€$£]?$/;
/** "1 1/2", but not a name such as "2023/24". */
const FRACTION = /^-?(?:\d+ )?\d{1,3}\/\d{1,3}$/;
const YEAR = /^(?:19|20|21)\d\d$/;
/** A row without a header that is wider is written without its empty cells. */
const MAX_KEPT_COLUMNS = 64;

/** A sheet that is being written. */
export class SheetWriter {
  readonly #builder: TextBuilder;
  readonly #name: string;
  /** Names by column of the sheet. */
  #header: string[] | undefined;
  /** Names of the first header, once another one has begun. */
  #firstNames: string[] | undefined;
  /** The last row with text. */
  #lastRow = 0;
  /** Row of a header that is not written yet: the row below it may begin further left. */
  #waitingHeader: number | undefined;
  /** The first column in which the header or a row below it has text. */
  #firstColumn = 0;
  /** A row without a header was written. */
  #hasRows = false;

  /** @param options.named  write the sheet's name as a heading */
  constructor(builder: TextBuilder, name: string, { named }: { named: boolean }) {
    this.#builder = builder;
    this.#name = name;
    builder.separate("\n\n");
    if (!named) return;
    builder.beginHeading(1);
    builder.write(name, { path: name });
    builder.endHeading();
    builder.separate("\n\n");
  }

  /**
   * Writes a row as one line, its cells separated by " | ". The first row with at least two cells and without a number,
   * other than a series of years, is the header of the others. After an empty row, such a row with more cells than the
   * header begins a table of its own.
   * @param number  1-based row of the sheet
   * @param cells  text by column; missing or "": empty
   */
  row(number: number, cells: readonly (string | undefined)[]): void {
    const texts: string[] = new Array(cells.length).fill("");
    // Not column by column: a row may have one cell, in the last of 16,384 columns.
    for (const [column, cell] of Object.entries(cells)) texts[Number(column)] = oneLine(cell ?? "");
    while (texts.at(-1) === "") texts.pop();
    const filled = texts.filter((text) => text !== "");
    if (filled.length === 0) return;
    const first = texts.findIndex((text) => text !== "");
    const isAfterGap = number > this.#lastRow + 1;
    this.#lastRow = number;
    if (isAfterGap && this.#isWiderHeader(filled)) this.#endTable();
    if (this.#header !== undefined) {
      this.#widenTo(first);
      this.#write(number, texts.slice(this.#firstColumn));
    } else if (filled.length > 1 && areNames(filled)) {
      this.#header = texts;
      this.#waitingHeader = number;
      this.#firstColumn = first;
    } else this.#write(number, texts.length <= MAX_KEPT_COLUMNS ? texts.slice(this.#withoutHeader(first)) : filled);
  }

  /** Ends the sheet. @returns the column names, [] without a header */
  end(): string[] {
    this.#endTable();
    return this.#firstNames ?? [];
  }

  #isWiderHeader(filled: readonly string[]): boolean {
    const width = this.#header?.filter((name) => name !== "").length;
    return width !== undefined && filled.length > width && areNames(filled);
  }

  #endTable(): void {
    this.#writeHeader();
    this.#builder.separate("\n\n");
    this.#firstNames ??= this.#header?.slice(this.#firstColumn);
    this.#header = undefined;
    this.#hasRows = false;
  }

  /** The column from which rows without a header are written: the leftmost so far. */
  #withoutHeader(column: number): number {
    this.#firstColumn = Math.min(column, this.#hasRows ? this.#firstColumn : column);
    this.#hasRows = true;
    return this.#firstColumn;
  }

  /** Makes room for a row that begins in this column. */
  #widenTo(column: number): void {
    this.#firstColumn = Math.min(column, this.#firstColumn);
    this.#writeHeader();
  }

  #writeHeader(): void {
    if (this.#header === undefined || this.#waitingHeader === undefined) return;
    this.#write(this.#waitingHeader, this.#header.slice(this.#firstColumn));
    this.#waitingHeader = undefined;
  }

  #write(number: number, cells: readonly string[]): void {
    this.#builder.separate("\n");
    this.#builder.write(cells.join(" | "), { path: `${this.#name}, row ${number}` });
    this.#builder.separate("\n");
  }
}

/** Whether the cells of a row may be names of columns: no numbers, or years in a row or with the same distance. */
function areNames(cells: readonly string[]): boolean {
  const numbers = cells.filter((cell) => NUMBER.test(cell) || FRACTION.test(cell));
  if (numbers.length === 0) return true;
  const [first, second] = numbers.map(Number);
  if (second === undefined || second === first) return false;
  if (numbers.length === 2 && Math.abs(second - first!) !== 1) return false;
  return numbers.every((year, i) => YEAR.test(year) && Number(year) === first! + i * (second - first!));
}

/** Whether a sheet's name says something: that of a workbook's only sheet is usually the program's. */
export function isNamed(name: string, sheets: number): boolean {
  return sheets > 1 || !/^(?:sheet|tabelle|feuil(?:le)?|hoja|foglio|blad|table|planilha)\s?\d*$/i.test(name);
}

/** Fields of a workbook: its author, its sheets, and the columns of the first one. */
export function sheetFields(
  sheets: readonly string[],
  columns: readonly string[],
  author: string,
): Record<string, MetadataValue> | undefined {
  const named = columns.filter((name) => name !== "");
  return metadataOf(
    Object.entries({
      author: author || undefined,
      sheets: [...sheets],
      columns: named.length > 0 ? named : undefined,
    }),
  );
}
