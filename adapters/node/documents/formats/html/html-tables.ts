/** Tables of HTML: the columns of their cells, and the names of the columns. */

import { oneLine } from "../../../../../src/text/one-line.js";
import { BLOCKS, type Element, isCell, isElement, isText, isUnread, type Node, tickOf } from "./html-elements.js";
import { attribute } from "./html-navigation.js";

/** A table of data: its empty cells keep the others in their columns. */
export interface DataTable {
  /** Column of each cell with text, from 0. Columns without text in any row are not counted. */
  columns: ReadonlyMap<Element, number>;
}

interface Cell {
  element: Element;
  column: number;
  /** Number of columns that it covers. */
  span: number;
}

/** A table with more columns is read as a layout. */
const MAX_COLUMNS = 1000;
/** The limit of the HTML standard. */
const MAX_ROW_SPAN = 65_534;

/**
 * @returns undefined for a layout: a table that says so, that has a table in it, or most of whose cells have several
 *   blocks. O(table)
 */
export function dataTable(table: Element): DataTable | undefined {
  if (/^(?:presentation|none)$/.test(attribute(table, "role") ?? "")) return undefined;
  const groups = rowGroups(table);
  const rows: Cell[][] = [];
  let simpleCells = 0;
  let cells = 0;
  for (const group of groups) {
    /** By column: how many rows from the current one on are covered by a cell above. */
    const covered: number[] = [];
    for (const row of group) {
      const placed = placeCells(row, covered);
      if (placed === undefined) return undefined;
      rows.push(placed);
      cells += placed.length;
      simpleCells += placed.filter(({ element }) => isSimpleCell(element)).length;
    }
  }
  if (simpleCells * 2 < cells) return undefined;
  const first = groups[0]?.[0];
  return { columns: filledColumns(rows, { countCovered: first !== undefined && isHeaderRow(first) }) };
}

/** The rows of each part of a table. A cell covers no row of the next part. */
function rowGroups(table: Element): Element[][] {
  const isVisible = (node: Node): node is Element => isElement(node) && !isUnread(node);
  const rowsOf = ({ childNodes }: Element): Element[] =>
    childNodes.filter(isVisible).filter(({ tagName }) => tagName === "tr");
  const parts = table.childNodes.filter(isVisible).filter(({ tagName }) => /^t(?:head|body|foot)$/.test(tagName));
  return [rowsOf(table), ...parts.map(rowsOf)].filter(({ length }) => length > 0);
}

/** @returns the cells with text; undefined if a cell has a table in it, or the row too many columns */
function placeCells(row: Element, covered: number[]): Cell[] | undefined {
  const cells: Cell[] = [];
  let column = 0;
  for (const element of row.childNodes.filter(isElement).filter(isCell)) {
    if (isUnread(element)) continue;
    while (covered[column]! > 0) covered[column++]!--;
    const span = spanOf(element, "colspan") || 1;
    const content = altOf(element) === "" ? contentOf(element) : "text";
    if (content === "table" || column + span > MAX_COLUMNS) return undefined;
    if (content === "text") cells.push({ element, column, span });
    const rowsBelow = (spanOf(element, "rowspan") || MAX_ROW_SPAN) - 1;
    for (const end = column + span; column < end; column++) covered[column] = rowsBelow;
  }
  for (; column < covered.length; column++) if (covered[column]! > 0) covered[column]!--;
  return cells;
}

/**
 * The columns, without those in which no text begins.
 * @param options.countCovered  false: a column that a cell to the left covers is not counted in its row. Below a
 *   header, values stay below their names; without one, such tables are forms
 */
function filledColumns(rows: readonly Cell[][], { countCovered }: { countCovered: boolean }): Map<Element, number> {
  const all = rows.flat();
  const filled = new Set(all.map(({ column }) => column));
  /** By column: how many before it are filled. */
  const before = [0];
  const width = all.reduce((most, { column, span }) => Math.max(most, column + span), 0);
  for (let column = 0; column < width; column++) before.push(before[column]! + (filled.has(column) ? 1 : 0));
  const columns = new Map<Element, number>();
  for (const row of rows) {
    let skipped = 0;
    for (const { element, column, span } of row) {
      columns.set(element, before[column]! - skipped);
      if (!countCovered) skipped += before[column + span]! - before[column + 1]!;
    }
  }
  return columns;
}

/** 1 without the attribute. */
function spanOf(cell: Element, name: "colspan" | "rowspan"): number {
  const value = Number.parseInt(attribute(cell, name) ?? "", 10);
  return value >= 0 ? Math.min(value, MAX_ROW_SPAN) : 1;
}

function contentOf(cell: Element): "table" | "text" | "empty" {
  let content: "text" | "empty" = "empty";
  const stack: Node[] = [cell];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isText(node)) {
      if (/\S/.test(node.value)) content = "text";
      continue;
    }
    if (isElement(node) && node.tagName === "table") return "table";
    if (isElement(node) && isUnread(node)) continue;
    if (isElement(node) && tickOf(node) !== undefined) content = "text";
    if ("childNodes" in node) for (const child of node.childNodes) stack.push(child);
  }
  return content;
}

/** Longer descriptions of images are not values. */
const MAX_ALT_UNITS = 100;
/** A cell with more nodes is more than an image. */
const MAX_IMAGE_NODES = 20;

/** The description of the image that is a cell's only content, such as "Yes"; else "". */
export function altOf(cell: Element): string {
  let alt = "";
  const stack: Node[] = [cell];
  for (let visited = 0; stack.length > 0; visited++) {
    const node = stack.pop()!;
    if (visited > MAX_IMAGE_NODES) return "";
    if (isText(node) ? node.value.trim() !== "" : isElement(node) && tickOf(node) !== undefined) return "";
    if (!isElement(node) || isUnread(node)) continue;
    if (node.tagName === "img") {
      if (alt !== "") return "";
      alt = oneLine(attribute(node, "alt") ?? "");
    } else stack.push(...node.childNodes.slice(0, MAX_IMAGE_NODES + 1));
  }
  return alt.length > MAX_ALT_UNITS ? "" : alt;
}

/** A cell of one paragraph at most: its row can be shown as a line. */
export function isSimpleCell(cell: Element): boolean {
  const blocks = cell.childNodes.filter((child) => isElement(child) && BLOCKS.has(child.tagName)) as Element[];
  if (blocks.length === 0) return true;
  const [only] = blocks;
  return (
    blocks.length === 1 &&
    (only!.tagName === "p" || only!.tagName === "div") &&
    !only!.childNodes.some((child) => isElement(child) && BLOCKS.has(child.tagName))
  );
}

/** A longer cell of several paragraphs is text, not a value. */
const MAX_CELL_UNITS = 300;
const MAX_CELL_NODES = 200;

/** A cell of a data table with several short paragraphs, such as an address: its row can be shown as a line, too. */
export function isShortCell(cell: Element): boolean {
  let units = 0;
  const stack: Node[] = [cell];
  for (let visited = 0; stack.length > 0; visited++) {
    const node = stack.pop()!;
    if (isText(node)) units += node.value.trim().length;
    if (units > MAX_CELL_UNITS || visited > MAX_CELL_NODES) return false;
    if (!isElement(node) || isUnread(node)) continue;
    if (node !== cell && /^(?:table|pre|[uod]l|h[1-6])$/.test(node.tagName)) return false;
    stack.push(...node.childNodes.slice(0, MAX_CELL_NODES + 1));
  }
  return true;
}

/** Whether a row, which may be in a `<thead>`, has the names of the columns. */
function isHeaderRow(row: Element): boolean {
  const cells = row.childNodes.filter(isElement);
  const { parentNode: parent } = row;
  const isInHead = parent !== null && isElement(parent) && parent.tagName === "thead";
  return cells.length > 1 && (isInHead || cells.every(({ tagName }) => tagName === "th"));
}
