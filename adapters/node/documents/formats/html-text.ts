/** The visible text of an HTML tree, block by block, each line of it tied to its line in the source. */

import type { DefaultTreeAdapterTypes } from "parse5";
import { oneLine } from "../../../../src/text/one-line.js";
import { isPageAid, navigationOf } from "./html-navigation.js";
import type { Separator, SourceMark, TextBuilder } from "./text-builder.js";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type TextNode = DefaultTreeAdapterTypes.TextNode;

/** Elements whose content is not visible text. */
const UNREAD = new Set(
  "audio button canvas datalist embed head iframe input map math-ml nav noembed noframes noscript object script select style svg template textarea title video".split(
    " ",
  ),
);

/** What separates the text of an element from the rest; inline elements are not listed. */
const BLOCKS = new Map<string, Separator>([
  ..."address article aside blockquote body center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html main menu ol p pre section summary table ul"
    .split(" ")
    .map((name): [string, Separator] => [name, "\n\n"]),
  ..."caption dd dt legend li optgroup option tbody tfoot thead tr"
    .split(" ")
    .map((name): [string, Separator] => [name, "\n"]),
]);

/** A longer node path is of no use, and takes quadratic space in deep trees. */
const MAX_PATH_UNITS = 300;

interface HtmlTextOptions {
  /** Added to the line numbers of the tree. Default 0. */
  lineOffset?: number;
  /** Leaves out menus and the like; for whole pages. Default false. */
  withoutNavigation?: boolean;
  /** Turns a source line and node path into what the segments say. Default: both. */
  mark?: (line: number | undefined, path: string) => SourceMark;
}

/** The next step: read a node, or close a block. The stack is explicit because trees may be deeper than the call stack. */
type Step =
  | { do: "read"; node: Node; path: string; preformatted: boolean; inCell: boolean }
  | { do: "separate"; separator: Separator }
  | { do: "end-heading" }
  | { do: "begin-rows"; header: string }
  | { do: "end-rows" };

/** Writes the visible text below `root` and its headings; needs `sourceCodeLocationInfo` for lines. */
export function writeHtmlText(root: Node, builder: TextBuilder, options: HtmlTextOptions = {}): void {
  const mark = options.mark ?? ((line, path) => ({ line, path }));
  const lineOffset = options.lineOffset ?? 0;
  const navigation = options.withoutNavigation ? navigationOf(root) : new Set();
  const steps: Step[] = [{ do: "read", node: root, path: "", preformatted: false, inCell: false }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step.do === "separate") builder.separate(step.separator);
    else if (step.do === "end-heading") builder.endHeading();
    else if (step.do === "begin-rows") builder.beginRows(step.header);
    else if (step.do === "end-rows") builder.endRows();
    else if (isText(step.node)) {
      const first = firstLineOf(step.node);
      const line = first === undefined ? undefined : first + lineOffset;
      const { path } = step;
      const markAt = (at: number) => mark(line === undefined ? undefined : line + at, path);
      if (step.preformatted) writePreformatted(step.node.value, builder, markAt);
      else writeCollapsed(step.node.value, builder, markAt);
    } else if (!isElement(step.node)) pushChildren(steps, step, step);
    else if (!isUnread(step.node) && !navigation.has(step.node))
      readElement(steps, { ...step, node: step.node }, builder);
  }
}

function readElement(
  steps: Step[],
  step: Extract<Step, { do: "read" }> & { node: Element },
  builder: TextBuilder,
): void {
  const { node } = step;
  const name = node.tagName;
  if (isPageAid(node)) return;
  if (name === "br") {
    builder.separate(step.inCell ? " " : "\n");
    return;
  }
  const isCell = name === "td" || name === "th";
  const separator = isCell ? " | " : step.inCell ? (BLOCKS.has(name) ? " " : "") : (BLOCKS.get(name) ?? "");
  builder.separate(separator);
  if (separator !== "") steps.push({ do: "separate", separator });
  const level = /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
  if (level > 0) {
    builder.beginHeading(level);
    steps.push({ do: "end-heading" });
  }
  if (name === "table") steps.push({ do: "end-rows" });
  if (name === "tr") {
    const header = headerOf(node);
    if (header !== undefined) steps.push({ do: "begin-rows", header });
  }
  const inCell = isCell ? isSimpleCell(node) : step.inCell && name !== "table";
  pushChildren(steps, step, { path: step.path, preformatted: step.preformatted || name === "pre", inCell });
}

function pushChildren(
  steps: Step[],
  parent: { node: Node },
  context: { path: string; preformatted: boolean; inCell: boolean },
): void {
  if (!("childNodes" in parent.node)) return;
  const children = parent.node.childNodes;
  const totals = new Map<string, number>();
  for (const child of children) {
    if (isElement(child)) totals.set(child.tagName, (totals.get(child.tagName) ?? 0) + 1);
  }
  const seen = new Map(totals);
  for (let i = children.length - 1; i >= 0; i--) {
    const child = children[i]!;
    let path = context.path;
    if (isElement(child)) {
      const name = child.tagName;
      const number = seen.get(name)!;
      seen.set(name, number - 1);
      const isNamed = BLOCKS.has(name) || name === "td" || name === "th";
      if (isNamed && path.length < MAX_PATH_UNITS) {
        path = `${path}${path === "" ? "" : "/"}${name}${totals.get(name) === 1 ? "" : `[${number}]`}`;
      }
    }
    steps.push({ do: "read", node: child, path, preformatted: context.preformatted, inCell: context.inCell });
  }
}

/** As a browser does: each run of white space becomes one space. */
function writeCollapsed(value: string, builder: TextBuilder, markAt: (line: number) => SourceMark): void {
  const lines = value.split("\n");
  for (const [at, line] of lines.entries()) {
    if (at > 0) builder.separate(" ");
    const words = line.replace(/[ \t\f\r]+/g, " ");
    if (words === "" || words === " ") {
      if (words === " ") builder.separate(" ");
      continue;
    }
    if (words.startsWith(" ")) builder.separate(" ");
    builder.write(words.slice(words.startsWith(" ") ? 1 : 0, words.endsWith(" ") ? -1 : undefined), markAt(at));
    if (words.endsWith(" ")) builder.separate(" ");
  }
}

function writePreformatted(value: string, builder: TextBuilder, markAt: (line: number) => SourceMark): void {
  const text = value.trimEnd();
  // Empty lines before the first text are dropped: a separator replaces them.
  const from = leadingEmptyLines(text);
  const before = text.slice(0, from).split("\n").length - 1;
  builder.write(text.slice(from), { ...markAt(before), linear: true });
  if (text.length < value.length) builder.separate(value.includes("\n", text.length) ? "\n" : " ");
}

/** Offset after the empty lines that a text begins with. */
function leadingEmptyLines(text: string): number {
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    if (unit === "\n") from = at + 1;
    else if (unit !== " " && unit !== "\t" && unit !== "\r") break;
  }
  return from;
}

/** Line of the first character: the tree omits a line break right after `<pre>`, its location does not. */
function firstLineOf(node: TextNode): number | undefined {
  const location = node.sourceCodeLocation;
  if (location === undefined || location === null) return undefined;
  const isFirst = node.parentNode !== null && "tagName" in node.parentNode && node.parentNode.childNodes[0] === node;
  if (!isFirst || (node.parentNode as Element).tagName !== "pre") return location.startLine;
  return location.endLine - (node.value.split("\n").length - 1);
}

/** The column names, if this is the first row of a table and has only header cells. */
function headerOf(row: Element): string | undefined {
  const parent = row.parentNode;
  if (parent === null || parent.childNodes.find(isElement) !== row) return undefined;
  const cells = row.childNodes.filter(isElement);
  const inHead = isElement(parent) && parent.tagName === "thead";
  if (cells.length < 2 || !(inHead || cells.every((cell) => cell.tagName === "th"))) return undefined;
  return cells.map((cell) => shortText(cell)).join(" | ");
}

/** Longer column names are cut: they are context, not text. */
const MAX_HEADER_UNITS = 200;

function shortText(root: Element): string {
  let text = "";
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined && text.length < MAX_HEADER_UNITS; node = stack.pop()) {
    if (isText(node)) text += node.value;
    else if ("childNodes" in node) stack.push(...node.childNodes.slice(0, MAX_HEADER_UNITS).reverse());
  }
  return oneLine(text.slice(0, MAX_HEADER_UNITS));
}

/** A cell of one paragraph at most: its row can be shown as a line. */
function isSimpleCell(cell: Element): boolean {
  const blocks = cell.childNodes.filter((child) => isElement(child) && BLOCKS.has(child.tagName)) as Element[];
  if (blocks.length === 0) return true;
  const [only] = blocks;
  return (
    blocks.length === 1 &&
    (only!.tagName === "p" || only!.tagName === "div") &&
    !only!.childNodes.some((child) => isElement(child) && BLOCKS.has(child.tagName))
  );
}

function isUnread(element: Element): boolean {
  if (UNREAD.has(element.tagName)) return true;
  return element.attrs.some(
    ({ name, value }) =>
      name === "hidden" ||
      (name === "aria-hidden" && value === "true") ||
      (name === "style" && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(value)),
  );
}

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

export function isText(node: Node): node is TextNode {
  return node.nodeName === "#text";
}
