/** Word documents: paragraphs, headings, lists, tables and notes, through mammoth's HTML. */

import { type Zippable, zipSync } from "fflate";
import mammoth from "mammoth";
import { parseFragment } from "parse5";
import { VerbatimError } from "../../../../../src/errors.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { formatBytes, unreadable } from "../../skip.js";
import { isElement, type Node } from "../html/html-elements.js";
import { attribute } from "../html/html-navigation.js";
import { writeHtmlText } from "../html/html-text.js";
import { metadataOf } from "../records.js";
import { TextBuilder } from "../text-builder.js";
import { readXmlElements } from "../xml.js";
import { assertNoZipBomb, listZip, readZipEntry } from "../zip.js";
import { assertNotOle, coreProperties, relationTargets } from "./archive.js";
import { withDirectLayout } from "./docx-direct-layout.js";
import { withItemMarks } from "./docx-item-marks.js";
import { withReadableElements } from "./docx-rewrite.js";
import { applyOutline, styleRules } from "./docx-styles.js";

/**
 * Title: that of the document's properties, else the first paragraph of style "Title", else the first heading of
 * level 1, else the file's name.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readDocx(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  assertNotOle(bytes, "doc");
  const parts = readXmlParts(bytes, context);
  const main = targetIn(parts["_rels/.rels"], "officeDocument", { folder: "", limits: context.limits });
  const path = main !== undefined && main in parts ? main : DOCUMENT;
  if (parts[path] === undefined) throw unreadable("is damaged (it has no text part)", "Save it again.");
  for (const part of Object.values(parts)) assertParsable(part, context.limits);
  for (const name of Object.keys(parts)) parts[name] = withReadableElements(parts[name]!);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const partOf = (type: string): Uint8Array | undefined => {
    const relations = parts[`${folder}_rels/${path.slice(folder.length)}.rels`];
    return parts[targetIn(relations, type, { folder, limits: context.limits }) ?? `word/${type}.xml`];
  };
  const lists = { document: parts[path], numbering: partOf("numbering"), styles: partOf("styles") };
  const rules = styleRules(lists.styles, context.limits);
  // A paragraph's list depends on the style that it has before.
  const document = withDirectLayout(withItemMarks(lists, context.limits));
  const tree = parseFragment(await toHtml({ ...parts, [path]: document }, rules));
  removeNoteMarks(tree);
  const title = applyOutline(tree);
  const builder = new TextBuilder(context.limits);
  writeHtmlText(tree, builder, { itemMarks: false, mark: (_line, path) => ({ path }) });
  const properties = propertiesOf(parts["docProps/core.xml"], context.limits);
  return [
    {
      id: context.input.id,
      title: properties.title || title || builder.firstHeading(1) || context.name,
      source: context.input.path,
      ...builder.content("docx"),
      metadata: metadataOf(Object.entries({ author: properties.author || undefined })),
    },
  ];
}

/** Removes the references to notes that mammoth writes, "[1]", and those back to them, "↑": neither is in the document. */
function removeNoteMarks(tree: Node): void {
  const isNoteMark = (node: Node): boolean =>
    isElement(node) &&
    node.tagName === "a" &&
    /^#?(?:foot|end)note-ref-/.test(attribute(node, "id") ?? attribute(node, "href") ?? "");
  const stack: Node[] = [tree];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!("childNodes" in node)) continue;
    node.childNodes = node.childNodes.filter((child) => !isNoteMark(child));
    for (const child of node.childNodes) stack.push(child);
  }
}

/** The part with the text, in nearly all files; programs on the web may name it "word/document2.xml". */
const DOCUMENT = "word/document.xml";

/** The first target of this type in a `.rels` part; undefined if there is none, or the part cannot be read. */
function targetIn(
  relations: Uint8Array | undefined,
  type: string,
  { folder, limits }: { folder: string; limits: ReadLimits },
): string | undefined {
  if (relations === undefined) return undefined;
  try {
    return [...relationTargets(readXmlElements(relations, limits), folder).values()].find((one) => one.type === type)
      ?.path;
  } catch {
    return undefined;
  }
}

/** The XML of the archive, each part inflated within what it declares; pictures and fonts are left out. */
function readXmlParts(bytes: Uint8Array, context: ReadContext): Record<string, Uint8Array> {
  const entries = listZip(bytes);
  assertNoZipBomb(entries, bytes.length, context.limits);
  const wanted = entries.filter((entry) => /\.(xml|rels)$/i.test(entry.name));
  const total = wanted.reduce((sum, entry) => sum + entry.bytes, 0);
  if (total > context.limits.maxMarkupBytes) {
    throw unreadable(
      `holds more than ${formatBytes(context.limits.maxMarkupBytes)} of XML`,
      "Split it, or raise the limit.",
    );
  }
  return Object.fromEntries(wanted.map((entry) => [entry.name, withKnownElements(readZipEntry(bytes, entry))]));
}

/** Elements that mammoth drops with the text in them; it reads what is in a smart tag. */
const UNKNOWN = /<(\/?)w:(?:fldSimple|ruby|rubyBase|bdo|dir)(?=[\s>])/g;
const CARRIAGE_RETURN = /<w:cr\s*\/>/g;
const BREAK = /<w:br\s[^<>]*>/g;
const ALIGNED_TAB = /<(\/?)w:ptab(?=[\s/>])/g;

/**
 * The text of simple fields, below furigana and of either direction is read, and tabs to a margin; furigana are not.
 * A page or column break within a line separates words like the end of a line.
 */
function withKnownElements(part: Uint8Array): Uint8Array {
  const xml = Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1"); // byte by byte
  const known = xml
    .replace(UNKNOWN, "<$1w:smartTag")
    .replace(CARRIAGE_RETURN, "<w:br/>")
    .replace(BREAK, (tag) => (tag.endsWith("/>") && /"(?:page|column)"/.test(tag) ? "<w:br/>" : tag))
    .replace(ALIGNED_TAB, "<$1w:tab");
  return known === xml ? part : Buffer.from(known, "latin1");
}

/**
 * mammoth keeps several kilobytes for each paragraph and calls itself for each level.
 * @throws VerbatimError `unreadable-document` beyond the limits on elements, paragraphs and levels
 */
function assertParsable(part: Uint8Array, limits: ReadLimits): void {
  const { maxElements, maxParagraphs, maxDepth } = limits;
  let elements = 0;
  let paragraphs = 0;
  let depth = 0;
  const hint = "Split it, or save it as plain text.";
  for (let at = part.indexOf(LESS_THAN); at >= 0; at = part.indexOf(LESS_THAN, at + 1)) {
    const next = part[at + 1];
    if (next === SLASH) depth--;
    else if (next !== QUESTION_MARK && next !== EXCLAMATION_MARK) {
      const end = part.indexOf(GREATER_THAN, at);
      if (end < 0) break;
      if (part[end - 1] !== SLASH) depth++;
      if (++elements > maxElements) {
        throw unreadable(`has more than ${maxElements.toLocaleString("en")} elements`, hint);
      }
      if (isParagraph(part, at) && ++paragraphs > maxParagraphs) {
        throw unreadable(`has more than ${maxParagraphs.toLocaleString("en")} paragraphs`, hint);
      }
      if (depth > maxDepth) throw unreadable("is nested too deeply", hint);
    }
  }
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const EXCLAMATION_MARK = 0x21;

/** "<w:p" and then the end of the name, with any one-letter prefix. */
function isParagraph(part: Uint8Array, at: number): boolean {
  const after = part[at + 4]!;
  return part[at + 2] === 0x3a && part[at + 3] === 0x70 && (after === GREATER_THAN || after === SLASH || after <= 0x20);
}

/** mammoth unpacks without a bound of its own, so it is given the checked parts, stored. */
async function toHtml(parts: Zippable, styleMap: string[]): Promise<string> {
  const archive = zipSync(parts, { level: 0 });
  try {
    const result = await mammoth.convertToHtml(
      { buffer: Buffer.from(archive.buffer, archive.byteOffset, archive.length) },
      { convertImage: mammoth.images.imgElement(async () => ({ src: "" })), externalFileAccess: false, styleMap },
    );
    return result.value;
  } catch (error) {
    if (error instanceof VerbatimError || error instanceof RangeError) throw error;
    throw unreadable(
      "is damaged (its text cannot be read)",
      "Open it in Word or LibreOffice and save it again.",
      error,
    );
  }
}

function propertiesOf(core: Uint8Array | undefined, limits: ReadLimits): { title: string; author: string } {
  if (core === undefined) return { title: "", author: "" };
  try {
    return coreProperties(readXmlElements(core, limits));
  } catch {
    return { title: "", author: "" };
  }
}
