/** Tables of RTF. A file has only rows: a table begins with the first one and ends at the next text outside a row. */

import type { TextBuilder } from "../text-builder.js";

export class RtfTable {
  readonly #builder: TextBuilder;
  #isRowOpen = false;
  #hasRows = false;
  /** The open row has no cell or definition so far, only text that is marked as in a table. */
  #isAssumed = false;

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  /** Nothing, inside of a row: the definition of a row may be repeated at its end. */
  beginRow(): void {
    this.#isAssumed = false;
    if (this.#isRowOpen) return;
    if (!this.#hasRows) this.#builder.separate("\n\n");
    this.#builder.beginRow();
    this.#builder.beginCell();
    this.#isRowOpen = true;
  }

  /** Begins a row at text in a table: the definition of a row may follow its cells. */
  assumeRow(): void {
    if (this.#isRowOpen) return;
    this.beginRow();
    this.#isAssumed = true;
  }

  endCell(): void {
    this.beginRow();
    this.#builder.endItem();
    this.#builder.beginCell();
  }

  /** Ends a cell of a table in the open cell: its text is followed by that of the next one. */
  endInnerCell(): void {
    this.beginRow();
    this.#builder.endItem();
    this.#builder.separate(" ");
  }

  endRow(): void {
    this.#builder.endRow();
    this.#isRowOpen = false;
    this.#hasRows = true;
  }

  /** Ends the table at text outside of it. Nothing without a table, or inside of a row. */
  end(): void {
    if (this.#isAssumed) {
      this.#builder.endRow();
      this.#isRowOpen = false;
      this.#isAssumed = false;
    }
    if (!this.#hasRows || this.#isRowOpen) return;
    this.#builder.separate("\n\n");
    this.#hasRows = false;
  }
}
