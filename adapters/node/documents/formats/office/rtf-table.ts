/** Tables of RTF. A file has only rows: a table begins with the first one and ends at the next text outside a row. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { TextBuilder } from "../text-builder.js";

/** Longer names of columns are cut. */
const MAX_NAME_UNITS = 100;

export class RtfTable {
  readonly #builder: TextBuilder;
  /** Texts of the cells of the open row so far; undefined between rows. */
  #row: string[] | undefined;
  #rows = 0;
  /** The open row has no cell or definition so far, only text that is marked as in a table. */
  #isAssumed = false;
  /** A cell of the open row has a table in it. */
  #hasInnerTable = false;

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  /** Nothing, inside of a row: the definition of a row may be repeated at its end. */
  beginRow(): void {
    this.#isAssumed = false;
    if (this.#row !== undefined) return;
    if (this.#rows === 0) this.#builder.separate("\n\n");
    this.#builder.beginRow();
    this.#builder.beginCell();
    this.#row = [""];
  }

  /** Begins a row at text in a table: the definition of a row may follow its cells. */
  assumeRow(): void {
    if (this.#row !== undefined) return;
    this.beginRow();
    this.#isAssumed = true;
  }

  /** Adds text to the open cell: the first row may be the names of the columns. */
  addText(text: string): void {
    if (this.#row !== undefined && this.#rows === 0) this.#row[this.#row.length - 1] += text;
  }

  endCell(): void {
    this.beginRow();
    this.#builder.endItem();
    this.#builder.beginCell();
    this.#row!.push("");
  }

  /** Ends a cell of a table in the open cell: its text is followed by that of the next one. */
  endInnerCell(): void {
    this.beginRow();
    this.#hasInnerTable = true;
    this.#builder.endItem();
    this.#builder.separate(" ");
    this.addText(" ");
  }

  endRow(): void {
    this.#builder.endRow();
    const names = (this.#row ?? []).slice(0, -1).map((name) => oneLine(name).slice(0, MAX_NAME_UNITS)); // each cell has an end
    const isFirst = this.#rows++ === 0;
    if (isFirst && !this.#hasInnerTable && names.length > 1 && !names.some((name) => /^[\d.,]+$/.test(name))) {
      this.#builder.beginRows(names.join(" | "));
    }
    this.#row = undefined;
    this.#hasInnerTable = false;
  }

  /** Ends the table at text outside of it. Nothing without a table, or inside of a row. */
  end(): void {
    if (this.#isAssumed) {
      this.#builder.endRow();
      this.#row = undefined;
      this.#isAssumed = false;
    }
    if (this.#rows === 0 || this.#row !== undefined) return;
    this.#builder.endRows();
    this.#builder.separate("\n\n");
    this.#rows = 0;
  }
}
