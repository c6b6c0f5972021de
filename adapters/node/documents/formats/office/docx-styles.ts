/** Paragraph styles of Word documents that are titles or headings, as rules for mammoth. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { ReadLimits } from "../../limits.js";
import { type Element, isElement, isText, type Node } from "../html/html-elements.js";
import { attribute } from "../html/html-navigation.js";
import { readXmlElements, type XmlElement } from "../xml.js";
import { valueIn } from "./docx-numbering.js";

interface ParagraphStyle {
  name: string;
  basedOn: string | undefined;
  /** From 1; 10 for body text. */
  outlineLevel: number | undefined;
}

/** Styles in a chain of bases. */
const MAX_BASES = 20;
/** Each paragraph is compared with each rule. */
const MAX_RULES = 100;
const MAX_LEVEL = 6;
/** Contracts have an outline whose items are paragraphs: longer ones are no headings. */
const MAX_HEADING_UNITS = 150;
const TITLE_CLASS = "title";
const OUTLINE_CLASS = "outline";
/** Styles that a document does not have, for paragraphs with an outline level of their own, by level from 0. */
export const OUTLINE_STYLES: readonly string[] = Array.from({ length: MAX_LEVEL }, (_, n) => `VerbatimOutline${n + 1}`);

/**
 * Rules for titles, and for styles with an outline level or based on a heading. Without styles that can be read, only
 * the headings that mammoth knows, and levels of paragraphs, are read.
 */
export function styleRules(styles: Uint8Array | undefined, limits: ReadLimits): string[] {
  const rules = [`p[style-name='Title'] => p.${TITLE_CLASS}:fresh`];
  OUTLINE_STYLES.forEach((id, n) => void rules.push(`p.${id} => h${n + 1}.${OUTLINE_CLASS}:fresh`));
  if (styles === undefined) return rules;
  try {
    const all = readStyles(readXmlElements(styles, limits));
    for (const style of all.values()) {
      const level = headingLevel(style, all);
      // The headings of Word have rules of their own.
      if (level > MAX_LEVEL || /^(?:heading \d|title)?$/i.test(style.name) || rules.length > MAX_RULES) continue;
      const name = style.name.replace(/[\\']/g, "\\$&");
      rules.push(`p[style-name='${name}'] => h${level}.${OUTLINE_CLASS}:fresh`);
    }
  } catch {
    // The text is read without them.
  }
  return rules;
}

function readStyles(elements: readonly XmlElement[]): Map<string, ParagraphStyle> {
  const styles = new Map<string, ParagraphStyle>();
  let style: ParagraphStyle | undefined;
  for (const element of elements) {
    if (element.name === "style") {
      style = { name: "", basedOn: undefined, outlineLevel: undefined };
      if (valueIn(element, "type") === "paragraph") styles.set(valueIn(element, "styleId") ?? "", style);
    } else if (style === undefined) continue;
    else if (element.name === "name") style.name = valueIn(element) ?? "";
    else if (element.name === "basedOn") style.basedOn = valueIn(element);
    else if (element.name === "outlineLvl") style.outlineLevel = (Number(valueIn(element)) || 0) + 1;
  }
  return styles;
}

/** The level that a style, or the next one that it is based on, gives; Infinity without one. */
function headingLevel(style: ParagraphStyle, all: ReadonlyMap<string, ParagraphStyle>): number {
  let current: ParagraphStyle | undefined = style;
  for (let n = 0; current !== undefined && n < MAX_BASES; n++) {
    const named = /^heading (\d)$/i.exec(current.name)?.[1];
    const level = current.outlineLevel ?? (named === undefined ? undefined : Number(named));
    if (level !== undefined) return level;
    current = current.basedOn === undefined ? undefined : all.get(current.basedOn);
  }
  return Infinity;
}

/** Turns long headings of an outline into paragraphs. @returns the first title, "" without one */
export function applyOutline(root: Node): string {
  let title = "";
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!("childNodes" in node)) continue;
    const name = isElement(node) ? attribute(node, "class") : undefined;
    if (name === TITLE_CLASS && title === "") title = oneLine(textOf(node as Element));
    if (name === OUTLINE_CLASS && textOf(node as Element).length > MAX_HEADING_UNITS) (node as Element).tagName = "p";
    for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
  }
  return title;
}

/** The text of an element, cut a little beyond MAX_HEADING_UNITS. */
function textOf(element: Element): string {
  let text = "";
  const stack: Node[] = [element];
  for (let node = stack.pop(); node !== undefined && text.length <= MAX_HEADING_UNITS; node = stack.pop()) {
    if (isText(node)) text += node.value;
    else if ("childNodes" in node) stack.push(...node.childNodes.slice(0, MAX_HEADING_UNITS).reverse());
  }
  return text;
}
