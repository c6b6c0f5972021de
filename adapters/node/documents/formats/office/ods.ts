/** OpenDocument spreadsheets: the cells as they are shown, row by row. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { TextBuilder } from "../text-builder.js";
import { odfProperties, openOdf } from "./odf.js";
import { SheetBoxes } from "./odf-frames.js";
import { repeated } from "./odf-writer.js";
import { isNamed, SheetWriter, sheetFields } from "./sheet-rows.js";

/** Cells of a sheet, with what is in them. Time has its own limit. */
const MAX_ELEMENTS = 100_000_000;
/** Elements whose content is not text of cells: comments, deleted text, formulas, pictures. */
const UNREAD = new Set(["annotation", "tracked-changes", "object", "object-ole", "binary-data"]);
/** A row or cell can say that it is repeated: rows with the same text are written at most this many times, … */
const MAX_REPEATED_ROWS = 100;
/** … and cells fill no more columns than a sheet of LibreOffice has. */
const MAX_COLUMNS = 16_384;

/**
 * One document; its places are rows ("Prices, row 12"). The first row of names is the header of the rows below it. Names
 * of sheets are headings. Text boxes are below the rows of their sheet.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readOds(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  const archive = openOdf(bytes, context);
  const builder = new TextBuilder(context.limits);
  const names: string[] = [];
  let columns: string[] | undefined;
  let writer: SheetWriter | undefined;
  let sheet = "";
  let row = 0;
  let cells: string[] = [];
  let repeatRow = 1;
  let repeatCell = 1;
  let cell = "";
  let inText = false;
  let hidden = 0;
  const boxes = new SheetBoxes(context.limits);
  let isInRow = false;
  const placeOfBox = (): string => (isInRow ? `${sheet}, row ${row + 1}` : sheet);
  // Whether a sheet's name is written depends on their number, so they are counted first.
  let sheets = 0;
  await archive.stream(
    "content.xml",
    { open: (name) => void (name === "table" && sheets++) },
    { maxElements: MAX_ELEMENTS },
  );
  await archive.stream(
    "content.xml",
    {
      open(name, attributes) {
        if (hidden > 0 || UNREAD.has(name)) hidden++;
        else if (writer !== undefined && boxes.open(name, placeOfBox)) return;
        else if (name === "table") {
          sheet = attributes.name ?? `Sheet${names.length + 1}`;
          names.push(sheet);
          writer = new SheetWriter(builder, sheet, { named: isNamed(sheet, sheets) });
          row = 0;
        } else if (name === "table-row") {
          cells = [];
          isInRow = true;
          repeatRow = repeated(attributes["number-rows-repeated"]);
        } else if (name === "table-cell" || name === "covered-table-cell") {
          cell = "";
          repeatCell = repeated(attributes["number-columns-repeated"]);
        } else if (name === "p") {
          if (cell !== "") cell += " ";
          inText = true;
        } else if (name === "s" || name === "tab" || name === "line-break") cell += " ";
      },
      text(text) {
        if (hidden === 0 && !boxes.text(text) && inText) cell += text;
      },
      close(name) {
        if (hidden > 0) hidden--;
        else if (boxes.close(name)) return;
        else if (name === "p") inText = false;
        else if (name === "table-cell" || name === "covered-table-cell") {
          const times = cell === "" ? repeatCell : Math.min(repeatCell, MAX_COLUMNS);
          if (cell === "") cells.length = Math.min(cells.length + times, MAX_COLUMNS);
          else for (let i = 0; i < times && cells.length < MAX_COLUMNS; i++) cells.push(cell);
        } else if (name === "table-row") {
          const isEmpty = cells.every((text) => text === undefined || text === "");
          for (let i = 0; !isEmpty && i < Math.min(repeatRow, MAX_REPEATED_ROWS); i++) writer?.row(row + i + 1, cells);
          row += repeatRow;
          isInRow = false;
        } else if (name === "table") {
          const header = writer?.end() ?? [];
          columns ??= header;
          boxes.write(builder);
          writer = undefined;
        }
      },
    },
    { maxElements: MAX_ELEMENTS },
  );
  const { title, author } = odfProperties(archive);
  return [
    {
      id: context.input.id,
      title: title || context.name,
      source: context.input.path,
      ...builder.content("ods"),
      metadata: sheetFields(names, columns ?? [], author),
    },
  ];
}
