/** Writes the marks of list items into a Word document's text, where they are read as its other text is. */

import { SaxesParser } from "saxes";
import { escapeHtml } from "../../../../../src/text/escape-html.js";
import type { ReadLimits } from "../../limits.js";
import { isAt, rewritten } from "./docx-edits.js";
import { type ListPlace, Numbering } from "./docx-numbering.js";
import { localName } from "./xml-stream.js";

/** A paragraph that is open. */
interface Paragraph extends ListPlace {
  /** Offset behind its properties; undefined without any. */
  textStart: number | undefined;
  /** Prefix of its names: "w:". */
  prefix: string;
  hasText: boolean;
  isDeleted: boolean;
}

/** One of two alternatives, and text that was moved to another place. */
const UNREAD = new Set(["Choice", "moveFrom"]);
/** Say that the end of a paragraph was deleted or moved away. */
const DELETED = ["del", "moveFrom"];

/**
 * The part `document` with a mark at the beginning of each paragraph of a list. Unchanged without lists, or if a part
 * cannot be read: then the text is read without marks, or the damage is reported when the text is read.
 */
export function withItemMarks(
  {
    document,
    numbering,
    styles,
  }: { document: Uint8Array; numbering: Uint8Array | undefined; styles: Uint8Array | undefined },
  limits: ReadLimits,
): Uint8Array {
  if (numbering === undefined) return document;
  return rewritten(document, (source) => {
    const marks = itemMarks(source, new Numbering({ numbering, styles }, limits));
    return marks.map(({ at, prefix, mark }) => {
      const text = escapeHtml(mark);
      return {
        start: at,
        end: at,
        text: `<${prefix}r><${prefix}t xml:space="preserve">${text}</${prefix}t></${prefix}r>`,
      };
    });
  });
}

interface ItemMark {
  at: number;
  prefix: string;
  mark: string;
}

/** The marks and their offsets, in the document's order. @throws Error if it is not well-formed */
function itemMarks(source: string, numbering: Numbering): ItemMark[] {
  const marks: ItemMark[] = [];
  const names: string[] = [];
  const paragraphs: Paragraph[] = [];
  /** Open elements that are not read. */
  let unread = 0;
  /** Where the text of paragraphs begins whose end was deleted. */
  let joined: { at: number | undefined } | undefined;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    const paragraph = paragraphs.at(-1);
    names.push(local);
    if (paragraph !== undefined && unread === 0 && DELETED.some((name) => isAt(names, "p", "pPr", "rPr", name)))
      paragraph.isDeleted = true;
    if (UNREAD.has(local)) unread++;
    if (unread > 0) return;
    const value = Object.entries(attributes).find(([key]) => localName(key) === "val")?.[1];
    if (local === "p") paragraphs.push(newParagraph(name));
    else if (paragraph === undefined) return;
    else if (isAt(names, "p", "pPr", "pStyle")) paragraph.style = value;
    else if (isAt(names, "p", "pPr", "numPr", "numId")) paragraph.list = value;
    else if (isAt(names, "p", "pPr", "numPr", "ilvl")) paragraph.level = Number(value) || 0;
  });
  parser.on("text", (text) => {
    const paragraph = paragraphs.at(-1);
    if (unread === 0 && names.at(-1) === "t" && paragraph !== undefined && text.trim() !== "") paragraph.hasText = true;
  });
  parser.on("closetag", ({ name }) => {
    const local = localName(name);
    const isProperties = isAt(names, "p", "pPr");
    names.pop();
    if (UNREAD.has(local)) unread--;
    if (unread > 0) return;
    const paragraph = paragraphs.at(-1);
    if (isProperties && paragraph !== undefined) paragraph.textStart = parser.position;
    if (local !== "p" || paragraph === undefined) return;
    paragraphs.pop();
    if (paragraph.isDeleted) {
      // what is left of it is read as the beginning of the next paragraph
      if (paragraph.hasText) joined ??= { at: paragraph.textStart };
      return;
    }
    const { at, hasText } =
      joined === undefined ? { at: paragraph.textStart, hasText: paragraph.hasText } : { at: joined.at, hasText: true };
    joined = undefined;
    const mark = paragraph.textStart === undefined ? undefined : numbering.next(paragraph);
    if (mark !== undefined && at !== undefined && hasText) marks.push({ at, prefix: paragraph.prefix, mark });
  });
  parser.write(source).close();
  return marks.sort((a, b) => a.at - b.at);
}

function newParagraph(name: string): Paragraph {
  const prefix = name.slice(0, name.length - 1);
  const place = { style: undefined, list: undefined, level: undefined };
  return { ...place, textStart: undefined, prefix, hasText: false, isDeleted: false };
}
