/** HTML: the visible text by blocks, with lines and node paths; of drawings (SVG) their texts. */

import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { escapeHtml } from "../../../../../src/text/escape-html.js";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import { decodeText } from "../../decode.js";
import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { isEncoding } from "../../older-encodings.js";
import { limitedTree } from "../limited-tree.js";
import { TextBuilder } from "../text-builder.js";
import { type Element, isElement, isText, type Node } from "./html-elements.js";
import { writeHtmlText } from "./html-text.js";
import { drawingOf, writeDrawing } from "./svg.js";

/**
 * Title: the `<title>`, else the first `<h1>`, else the file's name. Of a drawing, only `<title>`, `<desc>` and `<text>`
 * are read.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the text limit
 */
export function readHtml(bytes: Uint8Array, context: ReadContext): Document[] {
  const tree = parseHtml(decodeHtml(bytes), context.limits);
  const builder = new TextBuilder(context.limits);
  const drawing = drawingOf(tree);
  if (drawing === undefined) writeHtmlText(tree, builder, { withoutNavigation: true });
  else writeDrawing(drawing, builder);
  return [
    {
      id: context.input.id,
      title: titleOf(drawing ?? tree) || builder.firstHeading(1) || context.name,
      source: context.input.path,
      ...builder.content("html"),
    },
  ];
}

/**
 * The tree of an HTML page, or of XHTML: an HTML parser would take its `<title/>` for an opening tag, and its CDATA
 * sections for comments.
 * @throws VerbatimError `unreadable-document` beyond the limits on elements and levels
 */
export function parseHtml(html: string, limits: ReadLimits): DefaultTreeAdapterTypes.Document {
  return parse(isXhtml(html.slice(0, 2048)) ? expandEmptyElements(escapeSections(html)) : html, {
    sourceCodeLocationInfo: true,
    treeAdapter: limitedTree(limits),
  });
}

function isXhtml(start: string): boolean {
  if (start.trimStart().startsWith("<?xml")) return true;
  const lower = start.toLowerCase();
  const at = lower.indexOf("<html");
  return at >= 0 && lower.slice(at).split(">", 1)[0]!.includes("xmlns=");
}

const COMMENT_OR_CDATA = /<!--|<!\[CDATA\[/g;

/** XHTML with its CDATA sections as escaped text. One that is never closed stays as it is, and so do comments. */
function escapeSections(xhtml: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: mark, index } of xhtml.matchAll(COMMENT_OR_CDATA)) {
    if (index < done) continue;
    const isComment = mark === "<!--";
    const end = xhtml.indexOf(isComment ? "-->" : "]]>", index + mark.length);
    if (end < 0) break;
    const content = xhtml.slice(index + mark.length, end);
    parts.push(xhtml.slice(done, index), isComment ? `${mark}${content}-->` : escapeHtml(content));
    done = end + 3;
  }
  return parts.join("") + xhtml.slice(done);
}

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));

function expandEmptyElements(xhtml: string): string {
  return xhtml.replace(/<([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)\/>/g, (whole, name: string, attributes: string) =>
    VOID.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
  );
}

/** By byte order mark, else by the encoding that the page names, else like plain text. */
function decodeHtml(bytes: Uint8Array): string {
  const hasMark = (bytes[0] === 0xef && bytes[1] === 0xbb) || (bytes[0]! >= 0xfe && bytes[1]! >= 0xfe);
  const start = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  const label = charsetOf(start);
  // A page that could be read far enough to find a label of UTF-16 is not in UTF-16 (WHATWG HTML 13.2.3.2).
  if (hasMark || label === undefined || /^utf-?(8|16)/i.test(label)) return decodeText(bytes).text;
  if (!isEncoding(label)) return decodeText(bytes).text; // an unknown label: the bytes decide
  const decoder = new TextDecoder(label);
  // Node.js decodes windows-1252 as Latin-1.
  return decoder.encoding === "windows-1252" ? decodeText(bytes, decoder.encoding).text : decoder.decode(bytes);
}

/** The encoding that a page names in a `<meta>` element, else in its XML declaration. */
function charsetOf(start: string): string | undefined {
  for (const tag of start.split("<")) {
    if (!/^meta[\s/]/i.test(tag)) continue;
    const attributes = tag.split(">", 1)[0]!;
    const at = attributes.toLowerCase().indexOf("charset");
    const label = at < 0 ? undefined : /^=["']?([\w:-]+)/.exec(attributes.slice(at + 7).replace(/\s+/g, ""))?.[1];
    if (label !== undefined) return label;
  }
  if (!start.startsWith("<?xml")) return undefined;
  const declaration = start.split(">", 1)[0]!;
  const at = declaration.indexOf("encoding=");
  return at < 0 ? undefined : /^["']([\w:-]+)/.exec(declaration.slice(at + 9))?.[1];
}

/** @param root  a page or a drawing */
function titleOf(root: Node): string | undefined {
  const parent = isElement(root) ? root : childNamed(childNamed(root, "html"), "head");
  const title = childNamed(parent, "title");
  if (title === undefined) return undefined;
  const text = childrenOf(title).map((node) => (isText(node) ? node.value : ""));
  return oneLine(text.join(""));
}

function childNamed(parent: Node | undefined, name: string): Element | undefined {
  if (parent === undefined) return undefined;
  return childrenOf(parent).find((node): node is Element => isElement(node) && node.tagName === name);
}

function childrenOf(node: Node): Node[] {
  return "childNodes" in node ? node.childNodes : [];
}
