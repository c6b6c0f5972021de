/**
 * What paragraphs, rows and runs of a Word document say about themselves: levels and columns are written as elements
 * that mammoth reads, and hidden text is removed.
 */

import { SaxesParser } from "saxes";
import { type Edit, isAt, rewritten } from "./docx-edits.js";
import { OUTLINE_STYLES } from "./docx-styles.js";
import { localName } from "./xml-stream.js";

/** Columns of a table in Word. */
const MAX_COLUMNS = 63;

/** The properties of a paragraph, after their start tag. */
interface Properties {
  /** Offset of the end of the start tag. */
  at: number;
  /** Namespace prefix of Word's element names: "w:". */
  prefix: string;
  /** From 0. */
  outlineLevel: number | undefined;
}

/**
 * The part `document` with a style for each paragraph that has an outline level of its own, an empty cell for the
 * columns that a row leaves out at its start, and without the text of hidden runs. Unchanged if there are none, or if
 * it is not well-formed: then the damage is reported when the text is read.
 */
export function withDirectLayout(document: Uint8Array): Uint8Array {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
  if (!["outlineLvl", "gridBefore", "vanish"].some((name) => bytes.includes(name))) return document;
  return rewritten(document, editsIn);
}

/** In the order of the source. @throws Error if it is not well-formed */
function editsIn(source: string): Edit[] {
  const edits: Edit[] = [];
  const names: string[] = [];
  let paragraph: Properties | undefined;
  /** Columns that the row leaves out. */
  let leftOut = 0;
  /** By open run: whether it is hidden. A run may have a text box with runs of its own. */
  const hidden: boolean[] = [];
  /** Offset of the hidden text that is open. */
  let textStart: number | undefined;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    names.push(local);
    const prefix = name.slice(0, name.length - local.length);
    if (local === "r") hidden.push(false);
    else if (isAt(names, "r", "rPr", "vanish")) hidden[hidden.length - 1] = isOn(attributes);
    else if (hidden.at(-1) && isAt(names, "r", "t")) textStart = source.lastIndexOf("<", parser.position - 1);
    if (isAt(names, "p", "pPr")) paragraph = { at: parser.position, prefix, outlineLevel: undefined };
    else if (paragraph !== undefined && isAt(names, "p", "pPr", "outlineLvl"))
      paragraph.outlineLevel = countIn(attributes);
    else if (isAt(names, "tr", "trPr")) leftOut = 0;
    else if (isAt(names, "tr", "trPr", "gridBefore")) leftOut = Math.min(countIn(attributes) ?? 0, MAX_COLUMNS);
  });
  parser.on("closetag", ({ name }) => {
    if (paragraph !== undefined && isAt(names, "p", "pPr")) {
      const { at, prefix, outlineLevel } = paragraph;
      const style = outlineLevel === undefined ? undefined : OUTLINE_STYLES[outlineLevel];
      // Of two styles, mammoth reads the first one.
      if (style !== undefined) edits.push({ start: at, end: at, text: `<${prefix}pStyle ${prefix}val="${style}"/>` });
      paragraph = undefined;
    } else if (leftOut > 0 && isAt(names, "tr", "trPr")) {
      const at = parser.position;
      edits.push({ start: at, end: at, text: emptyCell(leftOut, name.slice(0, -"trPr".length)) });
    }
    if (localName(name) === "r") hidden.pop();
    else if (textStart !== undefined && localName(name) === "t") {
      edits.push({ start: textStart, end: parser.position, text: "" });
      textStart = undefined;
    }
    names.pop();
  });
  parser.write(source).close();
  return edits;
}

function emptyCell(columns: number, prefix: string): string {
  const properties = `<${prefix}tcPr><${prefix}gridSpan ${prefix}val="${columns}"/></${prefix}tcPr>`;
  return `<${prefix}tc>${properties}<${prefix}p/></${prefix}tc>`;
}

/** Whether a property that is on or off is on, as it is without an attribute `val`. */
function isOn(attributes: Readonly<Record<string, string>>): boolean {
  return !["0", "false", "off"].includes(valueIn(attributes) ?? "");
}

function valueIn(attributes: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(attributes).find(([key]) => localName(key) === "val")?.[1];
}

/** A number that is not negative, in an attribute `val`. */
function countIn(attributes: Readonly<Record<string, string>>): number | undefined {
  const value = valueIn(attributes);
  return value !== undefined && /^\d{1,3}$/.test(value) ? Number(value) : undefined;
}
