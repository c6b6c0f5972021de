/** OpenDocument spreadsheets: the cells as they are shown, row by row. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { TextBuilder } from "../text-builder.js";
import { odfProperties, openOdf } from "./odf.js";
import { SheetBoxes } from "./odf-frames.js";
import { repeated } from "./odf-writer.js";
import { isNamed, SheetWriter, sheetFields } from "./sheet-rows.js";
import type { XmlEvents } from "./xml-stream.js";

/** Cells of a sheet, with what is in them. Time has its own limit. */
const MAX_ELEMENTS = 100_000_000;
/** Elements whose content is not text of cells: comments, deleted text, formulas, pictures. */
const UNREAD = new Set(["annotation", "tracked-changes", "object", "object-ole", "binary-data"]);
const CELLS = new Set(["table-cell", "covered-table-cell"]);
/** In a paragraph: white space. */
const SPACES = new Set(["s", "tab", "line-break"]);
/** A row or cell can say that it is repeated: rows with the same text are written at most this many times, … */
const MAX_REPEATED_ROWS = 100;
/** … and cells fill no more columns than a sheet of LibreOffice has. */
const MAX_COLUMNS = 16_384;

/**
 * One document; its places are rows ("Prices, row 12"). The first row of names is the header of the rows below it.
 * Names of sheets are headings. Text boxes are below the rows of their sheet.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readOds(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  const archive = openOdf(bytes, context);
  const content = (events: XmlEvents) => archive.stream("content.xml", events, { maxElements: MAX_ELEMENTS });
  // Whether a sheet's name is written depends on their number, so they are counted first.
  let sheets = 0;
  await content({ open: (name) => void (name === "table" && sheets++) });
  const builder = new TextBuilder(context.limits);
  const reading = new SheetReading(builder, sheets, context.limits);
  await content(reading);
  const { title, author } = odfProperties(archive);
  return [
    {
      id: context.input.id,
      title: title || context.name,
      source: context.input.path,
      ...builder.content("ods"),
      metadata: sheetFields(reading.names, reading.columns ?? [], author),
    },
  ];
}

/** Writes the sheets while their elements are read. */
class SheetReading implements XmlEvents {
  /** Names of the sheets so far. */
  readonly names: string[] = [];
  /** Names of the first sheet's columns. */
  columns: readonly string[] | undefined;
  readonly #builder: TextBuilder;
  readonly #sheets: number;
  readonly #boxes: SheetBoxes;
  /** Undefined outside of sheets. */
  #writer: SheetWriter | undefined;
  /** Rows of the sheet that have ended, and the cells of the row that is open. */
  #row = 0;
  #cells: string[] | undefined;
  #repeatRow = 1;
  #cell = "";
  #repeatCell = 1;
  #inText = false;
  /** Open elements, from the outermost one on that is not read. */
  #unread = 0;

  /** @param sheets  their number */
  constructor(builder: TextBuilder, sheets: number, limits: ReadLimits) {
    this.#builder = builder;
    this.#sheets = sheets;
    this.#boxes = new SheetBoxes(limits);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#unread > 0 || UNREAD.has(name)) this.#unread++;
    else if (this.#writer !== undefined && this.#boxes.open(name, () => this.#place())) return;
    else if (name === "table") this.#openSheet(attributes.name ?? `Sheet${this.names.length + 1}`);
    else if (name === "table-row") {
      this.#cells = [];
      this.#repeatRow = repeated(attributes["number-rows-repeated"]);
    } else if (CELLS.has(name)) {
      this.#cell = "";
      this.#repeatCell = repeated(attributes["number-columns-repeated"]);
    } else if (name === "p") {
      if (this.#cell !== "") this.#cell += " ";
      this.#inText = true;
    } else if (SPACES.has(name)) this.#cell += " ";
  }

  text(text: string): void {
    if (this.#unread === 0 && !this.#boxes.text(text) && this.#inText) this.#cell += text;
  }

  close(name: string): void {
    if (this.#unread > 0) this.#unread--;
    else if (this.#boxes.close(name)) return;
    else if (name === "p") this.#inText = false;
    else if (CELLS.has(name)) this.#closeCell(this.#cells ?? []);
    else if (name === "table-row") this.#closeRow(this.#cells ?? []);
    else if (name === "table") this.#closeSheet();
  }

  /** The place of a text box. */
  #place(): string {
    const sheet = this.names.at(-1)!;
    return this.#cells === undefined ? sheet : `${sheet}, row ${this.#row + 1}`;
  }

  #openSheet(name: string): void {
    this.names.push(name);
    this.#writer = new SheetWriter(this.#builder, name, { named: isNamed(name, this.#sheets) });
    this.#row = 0;
  }

  #closeCell(cells: string[]): void {
    if (this.#cell === "") cells.length = Math.min(cells.length + this.#repeatCell, MAX_COLUMNS);
    else for (let i = 0; i < this.#repeatCell && cells.length < MAX_COLUMNS; i++) cells.push(this.#cell);
  }

  #closeRow(cells: readonly string[]): void {
    const isEmpty = cells.every((text) => text === undefined || text === "");
    const times = isEmpty ? 0 : Math.min(this.#repeatRow, MAX_REPEATED_ROWS);
    for (let i = 0; i < times; i++) this.#writer?.row(this.#row + i + 1, cells);
    this.#row += this.#repeatRow;
    this.#cells = undefined;
  }

  #closeSheet(): void {
    const header = this.#writer?.end() ?? [];
    this.columns ??= header;
    this.#boxes.write(this.#builder);
    this.#writer = undefined;
  }
}
