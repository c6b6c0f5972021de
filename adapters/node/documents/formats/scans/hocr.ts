/** hOCR: the text of scanned pages with its boxes, as OCR programs write it (hOCR 1.2). */

import type { DefaultTreeAdapterTypes } from "parse5";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { ReadLimits } from "../../limits.js";
import { parseHtml } from "../html/html.js";
import { attribute } from "../html/html-navigation.js";
import type { Box } from "../pages/page-lines.js";
import type { RecognizedLine, RecognizedPage, RecognizedWord } from "./recognized.js";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const LINES = new Set("ocr_line ocrx_line ocr_header ocr_caption ocr_textfloat".split(" "));

/**
 * The pages of an hOCR file. A line without words is one word.
 * @throws VerbatimError `unreadable-document` beyond the limits on elements and levels
 */
export function pagesOfHocr(html: string, limits: ReadLimits): RecognizedPage[] {
  const pages: RecognizedPage[] = [];
  let line: RecognizedLine | undefined;
  let beginsParagraph = false;
  const stack: Node[] = [parseHtml(html, limits)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const classes = "tagName" in node ? classesOf(node) : [];
    const box = "tagName" in node ? boxOf(node) : undefined;
    const page = pages.at(-1);
    if (classes.includes("ocr_page") && box !== undefined) {
      pages.push({ width: box.left + box.width, height: box.top + box.height, lines: [] });
      line = undefined;
    } else if (classes.includes("ocr_par")) beginsParagraph = true;
    else if (classes.some((name) => LINES.has(name)) && page !== undefined && box !== undefined) {
      line = { words: [], beginsParagraph };
      beginsParagraph = false;
      page.lines.push(line);
      if (!hasWords(node)) addWord(line, node as Element, box);
    } else if (classes.includes("ocrx_word") && line !== undefined && box !== undefined)
      addWord(line, node as Element, box);
    if ("childNodes" in node) {
      for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
    }
  }
  for (const page of pages) page.lines = page.lines.filter(({ words }) => words.length > 0);
  return pages.filter(({ width, height }) => width > 0 && height > 0);
}

function addWord(line: RecognizedLine, element: Element, box: Box): void {
  const text = oneLine(textOf(element));
  const confidence = /\bx_wconf\s+(\d{1,3}(?:\.\d{1,9})?)/.exec(titleOf(element))?.[1];
  const word: RecognizedWord = { text, box, confidence: confidence === undefined ? undefined : Number(confidence) };
  if (text !== "") line.words.push(word);
}

/** Words are in their line, at most in two elements between, such as `<strong>`. */
function hasWords(line: Node, levels = 3): boolean {
  if (!("childNodes" in line) || levels === 0) return false;
  return line.childNodes.some(
    (child) => "tagName" in child && (classesOf(child).includes("ocrx_word") || hasWords(child, levels - 1)),
  );
}

function classesOf(element: Element): string[] {
  return (attribute(element, "class") ?? "").split(/\s+/);
}

function titleOf(element: Element): string {
  return attribute(element, "title") ?? "";
}

function boxOf(element: Element): Box | undefined {
  const found = /\bbbox\s+(\d{1,6})\s+(\d{1,6})\s+(\d{1,6})\s+(\d{1,6})/.exec(titleOf(element));
  if (found === null) return undefined;
  const [left, top, right, bottom] = found.slice(1).map(Number) as [number, number, number, number];
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

function textOf(element: Element): string {
  let text = "";
  const stack: Node[] = [element];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.nodeName === "#text") text += (node as DefaultTreeAdapterTypes.TextNode).value;
    if ("childNodes" in node) for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
  }
  return text;
}
