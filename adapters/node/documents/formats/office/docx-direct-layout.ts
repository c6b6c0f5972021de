/** What paragraphs and rows of a Word document say about themselves, written as elements that mammoth reads. */

import { SaxesParser } from "saxes";
import { decodeText } from "../../decode.js";
import { type Insertion, isAt, withInsertions } from "./docx-insertions.js";
import { OUTLINE_STYLES } from "./docx-styles.js";
import { localName } from "./xml-stream.js";

/** Properties of a paragraph that are open. */
interface Properties {
  /** Offset behind their start. */
  at: number;
  /** Of the names of Word: "w:". */
  prefix: string;
  /** From 0. */
  outlineLevel: number | undefined;
}

/**
 * The part `document` with a style for each paragraph that has an outline level of its own. Unchanged if there is none,
 * or if it is not well-formed: then the damage is reported when the text is read.
 */
export function withDirectLayout(document: Uint8Array): Uint8Array {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
  if (!bytes.includes("outlineLvl")) return document;
  try {
    const source = decodeText(document).text;
    const insertions = insertionsIn(source);
    if (insertions.length === 0) return document;
    return new TextEncoder().encode(withInsertions(source, insertions));
  } catch {
    return document;
  }
}

/** In the order of the source. @throws Error if it is not well-formed */
function insertionsIn(source: string): Insertion[] {
  const insertions: Insertion[] = [];
  const names: string[] = [];
  let paragraph: Properties | undefined;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    names.push(local);
    const prefix = name.slice(0, name.length - local.length);
    if (isAt(names, "p", "pPr")) paragraph = { at: parser.position, prefix, outlineLevel: undefined };
    else if (paragraph !== undefined && isAt(names, "p", "pPr", "outlineLvl"))
      paragraph.outlineLevel = countIn(attributes);
  });
  parser.on("closetag", () => {
    if (paragraph !== undefined && isAt(names, "p", "pPr")) {
      const { at, prefix, outlineLevel } = paragraph;
      const style = outlineLevel === undefined ? undefined : OUTLINE_STYLES[outlineLevel];
      // Of two styles, mammoth reads the first one.
      if (style !== undefined) insertions.push({ at, xml: `<${prefix}pStyle ${prefix}val="${style}"/>` });
      paragraph = undefined;
    }
    names.pop();
  });
  parser.write(source).close();
  return insertions;
}

/** A number that is not negative, in an attribute `val`. */
function countIn(attributes: Readonly<Record<string, string>>): number | undefined {
  const value = Object.entries(attributes).find(([key]) => localName(key) === "val")?.[1];
  return value !== undefined && /^\d{1,3}$/.test(value) ? Number(value) : undefined;
}
