/** Drawings (SVG): the texts in them, without shapes and styles. */

import type { DefaultTreeAdapterTypes } from "parse5";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { TextBuilder } from "../text-builder.js";
import { type Element, isElement, isText, type Node } from "./html-elements.js";

const TEXTS = new Set(["title", "desc", "text"]);
/** Attributes that move the next text: it begins a line, or is a word of its own. */
const MOVES = new Set(["x", "y", "dy"]);

/** The `<svg>` of a file that is a drawing; undefined for a page. */
export function drawingOf({ childNodes }: DefaultTreeAdapterTypes.Document): Element | undefined {
  const html = childNodes.find(isElement);
  const body = html?.childNodes.find((node): node is Element => isElement(node) && node.tagName === "body");
  const drawing = body?.childNodes.find((node) => isElement(node) || (isText(node) && node.value.trim() !== ""));
  return drawing !== undefined && isElement(drawing) && drawing.tagName === "svg" ? drawing : undefined;
}

/** Writes each text of a drawing as a paragraph. */
export function writeDrawing(drawing: Element, builder: TextBuilder): void {
  const stack: Node[] = [drawing];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isElement(node)) continue;
    if (TEXTS.has(node.tagName)) {
      builder.separate("\n\n");
      builder.write(oneLine(textOf(node)), { line: node.sourceCodeLocation?.startLine });
    } else stack.push(...node.childNodes.toReversed());
  }
}

/** The text of an element, with a space before each part that has a place of its own. */
function textOf(element: Element): string {
  const parts: string[] = [];
  const stack: Node[] = [element];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isText(node)) parts.push(node.value);
    else if (isElement(node)) {
      if (node.attrs.some(({ name }) => MOVES.has(name))) parts.push(" ");
      for (const child of node.childNodes.toReversed()) stack.push(child);
    }
  }
  return parts.join("");
}
