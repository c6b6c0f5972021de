/** The visible text of an HTML tree, block by block, each line of it tied to its line in the source. */

import { superscript } from "../superscript.js";
import type { Separator, SourceMark, TextBuilder } from "../text-builder.js";
import {
  BLOCKS,
  type Element,
  isCell,
  isElement,
  isText,
  isUnread,
  type Node,
  type TextNode,
  tickOf,
} from "./html-elements.js";
import { itemMarks } from "./html-lists.js";
import { mathText } from "./html-math.js";
import { attribute, isPageAid, navigationOf } from "./html-navigation.js";
import { StruckText } from "./html-struck.js";
import { altOf, type DataTable, dataTable, isShortCell, isSimpleCell } from "./html-tables.js";

/** A longer node path is of no use, and takes quadratic space in deep trees. */
const MAX_PATH_UNITS = 300;

interface HtmlTextOptions {
  /** Added to the line numbers of the tree. Default 0. */
  lineOffset?: number;
  /** Leaves out menus and the like; for whole pages. Default false. */
  withoutNavigation?: boolean;
  /** Whether items of lists have marks that are not in the tree. Default true. */
  itemMarks?: boolean;
  /** Turns a source line and node path into what the segments say. Default: both. */
  mark?: (line: number | undefined, path: string) => SourceMark;
}

/** What a node is in. */
interface Context {
  path: string;
  preformatted: PreformattedText | undefined;
  /** In a cell that is shown on one line. */
  inCell: boolean;
  /** The table, unless it is a layout. */
  table: DataTable | undefined;
  /** In superscript. */
  isRaised: boolean;
}

/** How marks of list items are found. */
type MarksOf = (list: Element) => ReadonlyMap<Node, string>;
const NO_MARKS: ReadonlyMap<Node, string> = new Map();

/**
 * The next step: read a node, or close a block. The stack is explicit because trees may be deeper than the call
 * stack.
 */
type Step =
  | ({ do: "read"; node: Node; itemMark?: string | undefined } & Context)
  | { do: "separate"; separator: Separator; preformatted: PreformattedText | undefined }
  | { do: "end-heading" }
  | { do: "end-row" }
  | { do: "end-item" };

/** Writes the visible text below `root` and its headings; needs `sourceCodeLocationInfo` for lines. */
export function writeHtmlText(root: Node, builder: TextBuilder, options: HtmlTextOptions = {}): void {
  const markOf = options.mark ?? ((line, path) => ({ line, path }));
  const lineOffset = options.lineOffset ?? 0;
  const mark = (line: number | undefined, path: string) =>
    markOf(line === undefined ? undefined : line + lineOffset, path);
  const marksOf: MarksOf = options.itemMarks === false ? () => NO_MARKS : itemMarks;
  const struck = new StruckText();
  const navigation = options.withoutNavigation ? navigationOf(root) : new Set();
  const context: Context = { path: "", preformatted: undefined, inCell: false, table: undefined, isRaised: false };
  const steps: Step[] = [{ do: "read", node: root, ...context }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step.do === "separate") {
      builder.separate(step.separator);
      step.preformatted?.endLine();
    } else if (step.do === "end-heading") builder.endHeading();
    else if (step.do === "end-row") builder.endRow();
    else if (step.do === "end-item") builder.endItem();
    else if (isText(step.node)) {
      const { node, path, isRaised } = step;
      const line = firstLineOf(node);
      const markAt = (at: number) => mark(line === undefined ? undefined : line + at, path);
      const text = isRaised ? superscript(node.value) : node.value;
      if (step.preformatted !== undefined) step.preformatted.write(text, markAt);
      else writeCollapsed(text, builder, markAt);
    } else if (!isElement(step.node)) pushChildren(steps, step, { context: step, marks: NO_MARKS });
    else if (!isUnread(step.node) && !navigation.has(step.node) && !struck.isLeftOut(step.node)) {
      const tick = tickOf(step.node);
      const writeHere = (text: string): void =>
        writeCollapsed(text, builder, () => mark(step.node.sourceCodeLocation?.startLine, step.path));
      if (step.node.tagName === "math") writeHere(mathText(step.node));
      else if (tick === undefined) readElement(steps, { ...step, node: step.node }, { builder, marksOf, writeHere });
      else if (builder.isAtItem) builder.beginItem(tick);
      else writeHere(` ${tick} `);
    }
  }
}

function readElement(
  steps: Step[],
  step: Extract<Step, { do: "read" }> & { node: Element },
  { builder, marksOf, writeHere }: { builder: TextBuilder; marksOf: MarksOf; writeHere: (text: string) => void },
): void {
  const { node } = step;
  const name = node.tagName;
  if (isPageAid(node)) return;
  if (name === "br") {
    builder.separate(step.inCell ? " " : "\n");
    step.preformatted?.endLine();
    return;
  }
  if (isCell(node) && step.table !== undefined) {
    const column = step.table.columns.get(node);
    if (column === undefined) return;
    builder.beginCell(column);
    writeHere(altOf(node));
  } else {
    const separator = separatorOf(node, step);
    builder.separate(separator);
    if (separator !== "") {
      step.preformatted?.endLine();
      steps.push({ do: "separate", separator, preformatted: step.preformatted });
    }
  }
  if (step.itemMark !== undefined) {
    builder.beginItem(step.itemMark);
    steps.push({ do: "end-item" });
  }
  const level = /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
  if (level > 0) {
    builder.beginHeading(level);
    steps.push({ do: "end-heading" });
  }
  if (name === "tr") {
    if (step.table !== undefined) {
      builder.beginRow();
      steps.push({ do: "end-row" });
    }
  }
  const context: Context = {
    path: step.path,
    preformatted: step.preformatted ?? (name === "pre" ? new PreformattedText(builder) : undefined),
    inCell: isCell(node)
      ? isSimpleCell(node) || (step.table !== undefined && isShortCell(node))
      : step.inCell && name !== "table",
    table: name === "table" ? dataTable(node) : step.table,
    isRaised: step.isRaised || isRaised(node),
  };
  pushChildren(steps, step, { context, marks: marksOf(node) });
}

/** Superscript, and references to notes, which need not be in a `<sup>`. */
function isRaised(element: Element): boolean {
  if (element.tagName === "sup") return true;
  if (/vertical-align\s*:\s*super/i.test(attribute(element, "style") ?? "")) return !isCell(element);
  if (element.tagName !== "a") return false;
  const types = [attribute(element, "role"), attribute(element, "epub:type")].join(" ").split(/\s/);
  return types.includes("doc-noteref") || types.includes("noteref");
}

/** What separates an element from the text around it. */
function separatorOf(node: Element, { inCell }: Context): Separator {
  if (isCell(node)) return " | ";
  const separator = BLOCKS.get(node.tagName) ?? "";
  return inCell && separator !== "" ? " " : separator;
}

function pushChildren(
  steps: Step[],
  parent: { node: Node },
  { context, marks }: { context: Context; marks: ReadonlyMap<Node, string> },
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
      const isNamed = BLOCKS.has(name) || isCell(child);
      if (isNamed && path.length < MAX_PATH_UNITS) {
        path = `${path}${path === "" ? "" : "/"}${name}${totals.get(name) === 1 ? "" : `[${number}]`}`;
      }
    }
    const { preformatted, inCell, table, isRaised } = context;
    const itemMark = marks.get(child);
    steps.push({ do: "read", node: child, path, preformatted, inCell, table, isRaised, itemMark });
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

/** The text of a `<pre>`, node by node: line breaks and spaces between two nodes are kept. */
class PreformattedText {
  readonly #builder: TextBuilder;
  readonly #start: number;
  /** Spaces since the last text or line break; they are written before the next text. */
  #spaces = "";

  constructor(builder: TextBuilder) {
    this.#builder = builder;
    this.#start = builder.length;
  }

  write(value: string, markAt: (line: number) => SourceMark): void {
    const end = value.trimEnd().length;
    const from = leadingEmptyLines(value.slice(0, end));
    const before = this.#breakLines(value.slice(0, from));
    if (from < end) {
      this.#builder.write(this.#spaces + value.slice(from, end), { ...markAt(before), linear: true });
      this.#spaces = "";
    }
    const after = value.slice(end);
    this.#breakLines(after);
    this.#spaces += after.slice(after.lastIndexOf("\n") + 1);
  }

  /** Drops spaces at the end of a line. */
  endLine(): void {
    this.#spaces = "";
  }

  /** @returns the number of line breaks in `space`; those before the first text are dropped */
  #breakLines(space: string): number {
    const breaks = space.split("\n").length - 1;
    if (breaks === 0) return 0;
    if (this.#builder.length > this.#start) this.#builder.separate(breaks === 1 ? "\n" : "\n\n");
    this.endLine();
    return breaks;
  }
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
