/**
 * Excel workbooks: the values of the cells as they are shown, row by row. Formulas are not computed, macros not run.
 */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { unreadable } from "../../skip.js";
import { superscript } from "../superscript.js";
import { TextBuilder } from "../text-builder.js";
import { assertNotOle, OfficeArchive } from "./archive.js";
import { isNamed, SheetWriter, sheetFields } from "./sheet-rows.js";
import { type CellFormat, cellFormats, shownNumber } from "./xlsx-numbers.js";

const WORKBOOK = "xl/workbook.xml";
/** Cells of a sheet; a row has at least one. Time has its own limit. */
const MAX_ELEMENTS = 100_000_000;
/** Columns of a sheet (ECMA-376 part 1, 18.2.7: XFD). */
const MAX_COLUMNS = 16_384;

/**
 * One document; its places are rows ("Prices, row 12"). The first row of names is the header of the rows below it.
 * Names of sheets are headings.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readXlsx(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  assertNotOle(bytes, "xls");
  const archive = new OfficeArchive(bytes, context);
  const { sheets, date1904 } = await workbookOf(archive);
  const book: Book = { strings: await sharedStrings(archive, context), formats: cellFormats(archive), date1904 };
  const builder = new TextBuilder(context.limits);
  let columns: string[] | undefined;
  for (const { name, path } of sheets) {
    const writer = new SheetWriter(builder, name, { named: isNamed(name, sheets.length) });
    await readSheet(archive, path, { book, writer });
    const header = writer.end();
    columns ??= header;
  }
  const { title, author } = archive.properties();
  return [
    {
      id: context.input.id,
      title: title || context.name,
      source: context.input.path,
      ...builder.content("xlsx"),
      metadata: sheetFields(
        sheets.map(({ name }) => name),
        columns ?? [],
        author,
      ),
    },
  ];
}

interface Book {
  strings: string[];
  /** By style number. */
  formats: CellFormat[];
  date1904: boolean;
}

async function workbookOf(
  archive: OfficeArchive,
): Promise<{ sheets: { name: string; path: string }[]; date1904: boolean }> {
  if (!archive.has(WORKBOOK)) {
    const isBinary = archive.has("xl/workbook.bin");
    throw unreadable(
      isBinary ? "is a binary workbook (.xlsb)" : "is damaged (it has no workbook part)",
      "Save it as .xlsx.",
    );
  }
  const relations = archive.relations(WORKBOOK);
  const sheets: { name: string; path: string }[] = [];
  let date1904 = false;
  await archive.stream(WORKBOOK, {
    open: (name, attributes) => {
      if (name === "workbookPr") date1904 = /^(?:1|true)$/.test(attributes.date1904 ?? "");
      const target = name === "sheet" ? relations.get(attributes["r:id"] ?? "") : undefined;
      if (target?.type === "worksheet" && archive.has(target.path)) {
        sheets.push({ name: attributes.name ?? `Sheet${sheets.length + 1}`, path: target.path });
      }
    },
  });
  return { sheets, date1904 };
}

/** Texts that cells refer to by number; phonetic hints are left out. */
async function sharedStrings(archive: OfficeArchive, { limits }: ReadContext): Promise<string[]> {
  const strings: string[] = [];
  const part = "xl/sharedStrings.xml";
  if (!archive.has(part)) return strings;
  let current = "";
  let inText = false;
  let inHint = false;
  let isRaised = false;
  let units = 0;
  await archive.stream(
    part,
    {
      open: (name, attributes) => {
        if (name === "si") current = "";
        if (name === "si" || name === "r") isRaised = false;
        else if (name === "vertAlign") isRaised = attributes.val === "superscript";
        else if (name === "rPh") inHint = true;
        else if (name === "t") inText = true;
      },
      text: (text) => {
        if (!inText || inHint) return;
        current += isRaised ? superscript(text) : text;
        units += text.length;
        if (units > limits.maxTextUnits) throw unreadable("has too much text", "Split it, or raise the limit.");
      },
      close: (name) => {
        if (name === "t") inText = false;
        else if (name === "rPh") inHint = false;
        else if (name === "si") strings.push(unescaped(current));
      },
    },
    { maxElements: MAX_ELEMENTS },
  );
  return strings;
}

/** Streams the rows of a sheet (ECMA-376 part 1, 18.3.1). */
async function readSheet(archive: OfficeArchive, path: string, to: { book: Book; writer: SheetWriter }): Promise<void> {
  const { book, writer } = to;
  let row = 0;
  let cells: string[] = [];
  let column = -1;
  let type = "n";
  let style = 0;
  let value = "";
  let inValue = false;
  let inHint = false;
  let isRaised = false;
  await archive.stream(
    path,
    {
      open(name, attributes) {
        if (name === "row") {
          row = Number(attributes.r ?? row + 1);
          cells = [];
          column = -1;
        } else if (name === "c") {
          column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
          type = attributes.t ?? "n";
          style = Number(attributes.s ?? 0);
          value = "";
          isRaised = false;
        } else if (name === "r") isRaised = false;
        else if (name === "vertAlign") isRaised = attributes.val === "superscript";
        else if (name === "rPh") inHint = true;
        else if (name === "v" || name === "t") inValue = true;
      },
      text(text) {
        if (inValue && !inHint) value += isRaised ? superscript(text) : text;
      },
      close(name) {
        if (name === "v" || name === "t") inValue = false;
        else if (name === "rPh") inHint = false;
        else if (name === "c" && column >= 0 && column < MAX_COLUMNS) cells[column] = shown(value, type, style);
        else if (name === "row") writer.row(row, cells);
      },
    },
    { maxElements: MAX_ELEMENTS },
  );

  function shown(text: string, kind: string, styleNumber: number): string {
    if (text === "") return "";
    if (kind === "s") return book.strings[Number(text)] ?? "";
    if (kind === "b") return text === "1" ? "TRUE" : "FALSE";
    if (kind === "n") return shownNumber(text, book.formats[styleNumber] ?? "general", book.date1904);
    return unescaped(text);
  }
}

/** Characters that XML cannot have, or would change, are written as "_x000D_" (ECMA-376 part 1, 22.9.2.19). */
function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => {
    const unit = Number.parseInt(code, 16);
    return unit < 0x20 ? " " : String.fromCharCode(unit);
  });
}

/** "C12" → 2. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference) {
    const value = letter.charCodeAt(0) - 64;
    if (value < 1 || value > 26) break;
    column = column * 26 + value;
  }
  return column - 1;
}
