/** reStructuredText: headings, paragraphs, directives, tables and code, without the marks. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET } from "../list-marks.js";
import { superscript } from "../superscript.js";
import { indentOf, linesOf } from "../text-lines.js";
import { completeLine } from "./broken-markup.js";
import { MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";
import { RstGrid, simpleCells } from "./rst-tables.js";
import { separatedCells } from "./separated-cells.js";

/** Title: the field `:title:` at the beginning, else the first heading, else the file's name. Places are lines. */
export function readRst(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, { kind: "rst", write: (source, writer) => new RstReader(source, writer).read() });
}

const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}\s*$/;
const DIRECTIVE = /^\.\.\s+(?:\|[^|]+\|\s+)?([\w:.+-]+)::/;
const FOOTNOTE = /^\.\.\s+\[([^\]]+)\](?:\s(.*))?$/;
const OPTION = /^:[\w -]+:(?:\s|$)/;
const SIMPLE_BORDER = /^\s*={2,}(?:\s+={2,})+\s*$/;
const GRID_BORDER = /^\s*\+(?:[-=]+\+)+\s*$/;
/** Directives whose content is code, and is kept with its indent. */
const CODE = new Set(["code", "code-block", "sourcecode", "parsed-literal", "math", "productionlist", "prompt"]);
/** Directives that say nothing by themselves. */
const DROPPED = new Set(
  "toctree contents index raw include literalinclude meta image default-role highlight sectnum role currentmodule module testsetup doctest-requires tabularcolumns cssclass rst-class".split(
    " ",
  ),
);

/** What the version of a note is printed after. */
const VERSION_NOTES: ReadonlyMap<string, string> = new Map([
  ["versionadded", "New in version"],
  ["versionchanged", "Changed in version"],
  ["deprecated", "Deprecated since version"],
  ["versionremoved", "Removed in version"],
]);
const SUBSTITUTION = /^\.\.\s+\|([^|]+)\|\s+replace::\s+(\S.*)$/;
/** Longer values are cut: each may be used often. */
const MAX_VALUE_UNITS = 500;

class RstReader {
  readonly #lines: string[];
  readonly #writer: MarkupWriter;
  /** Marks of headings in the order in which they occur: the outermost first. */
  readonly #marks: string[] = [];

  /** Numbers of items "#.", by line. */
  readonly #numbers = new Map<number, number>();

  /** Values of `|name|`. */
  readonly #values = new Map<string, string>();

  constructor(source: string, writer: MarkupWriter) {
    this.#lines = linesOf(source);
    this.#writer = writer;
  }

  #inline(text: string): string {
    return inline(text, this.#values);
  }

  /** Values may be defined below their use. */
  #collectValues(): void {
    for (const [i, line] of this.#lines.entries()) {
      const [, name, start] = SUBSTITUTION.exec(line.slice(0, MAX_MARKED_UNITS).trim()) ?? [];
      if (name === undefined || start === undefined) continue;
      let value = start;
      for (let next = i + 1; value.length < MAX_VALUE_UNITS && indentOf(this.#at(next)) > indentOf(line); next++)
        value += ` ${this.#at(next).trim()}`;
      this.#values.set(name, this.#inline(value).slice(0, MAX_VALUE_UNITS));
    }
  }

  read(): void {
    this.#collectValues();
    const first = this.#lines.findIndex((line) => line.trim() !== "");
    for (let i = first; OPTION.test(this.#at(i)); i++) {
      this.#writer.title = /^:title:\s+(\S.*)$/i.exec(this.#at(i))?.[1] ?? this.#writer.title;
    }
    for (let i = 0; i < this.#lines.length; ) i = this.#block(i);
  }

  /** Reads what begins at line i. @returns the line after it */
  #block(i: number): number {
    const writer = this.#writer;
    const line = this.#at(i);
    const text = line.trim();
    if (text === "") {
      writer.blank();
      return i + 1;
    }
    const heading = this.#heading(i);
    if (heading > i) return heading;
    if (SIMPLE_BORDER.test(line)) return this.#simpleTable(i);
    if (GRID_BORDER.test(line)) return this.#gridTable(i);
    if (text === ".." || text.startsWith(".. ")) return this.#explicit(i);
    if (ADORNMENT.test(line) || /^__\s/.test(text)) return i + 1;
    if (/^>>> /.test(text)) {
      writer.code(line, i + 1);
      return i + 1;
    }
    const next = i + completeLine(this.#lines, i, openMark);
    const whole = this.#at(i).trim();
    const isLiteral = whole.endsWith("::");
    const { mark, text: rest } = itemOf(isLiteral ? whole.slice(0, whole === "::" ? 0 : -1) : whole);
    writer.item(mark === "#." ? `${this.#nextNumber(i)}.` : mark, this.#inline(rest), i + 1);
    return isLiteral ? this.#literal(next, indentOf(line)) : next;
  }

  /** The number of an item "#.": one more than that of the item before it in its list. */
  #nextNumber(i: number): number {
    const indent = indentOf(this.#at(i));
    let before = i - 1;
    const first = Math.max(0, i - MAX_ITEM_LINES);
    while (before >= first && (this.#at(before).trim() === "" || indentOf(this.#at(before)) > indent)) before--;
    const known = this.#numbers.get(before);
    const written = /^\s*(\d{1,6})\.\s/.exec(this.#at(before))?.[1];
    const isSibling = indentOf(this.#at(before)) === indent;
    const last = isSibling ? (known ?? Number(written ?? 0)) : 0;
    this.#numbers.set(i, last + 1);
    return last + 1;
  }

  #at(i: number): string {
    return this.#lines[i] ?? "";
  }

  /** A line with an underline, and perhaps a line above it. @returns the line after it; i if there is none */
  #heading(i: number): number {
    const overline = ADORNMENT.exec(this.#at(i))?.[1];
    const at = overline === undefined ? i : i + 1;
    const text = this.#at(at);
    const mark = ADORNMENT.exec(this.#at(at + 1))?.[1];
    if (mark === undefined || text.trim() === "" || ADORNMENT.test(text) || text.length > 300) return i;
    if (overline === undefined ? indentOf(text) > 0 : overline !== mark) return i;
    if (this.#at(at + 1).trim().length < Math.min(text.trim().length, 4)) return i;
    const style = `${overline ?? ""}${mark}`;
    if (!this.#marks.includes(style)) this.#marks.push(style);
    this.#writer.heading(this.#inline(text), this.#marks.indexOf(style) + 1, at + 1);
    return at + 2;
  }

  /** Lines indented by more than `indent`, as code. @returns the line after them */
  #literal(from: number, indent: number): number {
    this.#writer.blank();
    let i = from;
    for (; i < this.#lines.length; i++) {
      const line = this.#at(i);
      if (line.trim() === "") continue;
      if (indentOf(line) <= indent) break;
      this.#writer.code(line.slice(indent), i + 1);
    }
    this.#writer.blank();
    return i;
  }

  /** A directive, footnote, target or comment. @returns the line after what is read or dropped here */
  #explicit(i: number): number {
    const line = this.#at(i);
    const indent = indentOf(line);
    const text = line.trim();
    // An empty comment ends what is before it, and comments nothing.
    if (text === ".." && this.#at(i + 1).trim() === "") return i + 1;
    const footnote = FOOTNOTE.exec(text);
    if (footnote !== null) {
      this.#writer.blank();
      if (footnote[2] !== undefined) this.#writer.line(this.#inline(footnote[2].trim()), i + 1);
      return i + 1;
    }
    const [mark = "", name] = DIRECTIVE.exec(text) ?? [];
    if (name === undefined || name === "replace" || DROPPED.has(name)) return this.#after(i, indent);
    this.#writer.blank();
    let next = i + completeLine(this.#lines, i, openMark);
    const argument = this.#at(i).trim().slice(mark.length).trim();
    const options = next;
    while (OPTION.test(this.#at(next).trim()) && indentOf(this.#at(next)) > indent) next++;
    if (CODE.has(name)) return this.#literal(next, indent);
    // What describes a function or option: its signature is the heading of the description.
    if (
      /^(?:[a-z]+:)?(?:function|class|method|attribute|data|exception|option|envvar|program|confval|macro|type|member|describe)$|method$/.test(
        name,
      )
    ) {
      if (argument !== "") this.#writer.heading(argument, 6, i + 1);
    } else if (VERSION_NOTES.has(name)) {
      const isFollowed = !/\s/.test(argument) && indentOf(this.#at(next)) > indent;
      this.#writer.line(`${VERSION_NOTES.get(name)} ${this.#inline(argument)}${isFollowed ? ":" : ""}`, i + 1);
    } else if (argument !== "" && name !== "figure" && name !== "only")
      this.#writer.line(this.#inline(argument), i + 1);
    if (name === "csv-table") return this.#csvTable(options, next, indent);
    if (name === "list-table") return this.#listTable(next, indent);
    return next;
  }

  /** The first line from i + 1 that is not blank and not indented by more than `indent`. */
  #after(i: number, indent: number): number {
    let next = i + 1;
    while (next < this.#lines.length && (this.#at(next).trim() === "" || indentOf(this.#at(next)) > indent)) next++;
    return next;
  }

  /** Columns are where the "=" of the border are. */
  #simpleTable(from: number): number {
    const writer = this.#writer;
    const border = this.#at(from);
    const starts = [...border.matchAll(/=+/g)].map(({ index }) => index);
    const cellsOf = (line: string) => simpleCells(line, starts).map((cell) => this.#inline(cell));
    let end = from + 1;
    while (end < this.#lines.length && end - from < MAX_TABLE_LINES && !this.#endsSimpleTable(end)) end++;
    writer.blank();
    let row: { cells: string[]; number: number } | undefined;
    const flush = () => {
      if (row !== undefined) writer.row(row.cells, row.number);
      row = undefined;
    };
    for (let i = from + 1; i < Math.min(end, this.#lines.length); i++) {
      const line = this.#at(i);
      if (!SIMPLE_BORDER.test(line) && line.trim() !== "" && !/^[-\s]+$/.test(line)) {
        const cells = cellsOf(line);
        // Without text in its first column, a line continues the row above.
        if (row !== undefined && cells[0] === "") row.cells = row.cells.map((cell, c) => `${cell} ${cells[c]}`);
        else {
          flush();
          row = { cells, number: i + 1 };
        }
      } else flush();
    }
    flush();
    writer.blank();
    return end + 1;
  }

  #endsSimpleTable(i: number): boolean {
    return SIMPLE_BORDER.test(this.#at(i)) && this.#at(i + 1).trim() === "";
  }

  /** A list of rows, "* - cell", which are lists of cells, "  - cell". @returns the line after it */
  #listTable(from: number, indent: number): number {
    const writer = this.#writer;
    const end = this.#after(from - 1, indent);
    let cells: string[] = [];
    let first = from;
    const endRow = (): void => {
      if (cells.length > 0)
        writer.row(
          cells.map((cell) => this.#inline(cell.trim())),
          first + 1,
        );
      cells = [];
    };
    writer.blank();
    for (let i = from; i < end; i++) {
      const line = this.#at(i).trim();
      const [row] = /^[*+-]\s+[*+-](?:\s+|$)/.exec(line) ?? [];
      const [cell] = /^[*+-](?:\s+|$)/.exec(line) ?? [];
      if (row !== undefined) {
        endRow();
        first = i;
        cells.push(line.slice(row.length));
      } else if (cell !== undefined) cells.push(line.slice(cell.length));
      else if (line !== "" && cells.length > 0) cells.push(`${cells.pop()!} ${line}`);
    }
    endRow();
    writer.blank();
    return end;
  }

  /** Rows of separated values, whose first one may be an option. @returns the line after them */
  #csvTable(options: number, from: number, indent: number): number {
    const writer = this.#writer;
    writer.blank();
    for (let i = options; i < from; i++) {
      const header = /^:header:\s+(\S.*)$/.exec(this.#at(i).trim())?.[1];
      if (header !== undefined) this.#csvRow(header, i);
    }
    const end = this.#after(from - 1, indent);
    let row = "";
    let first = from;
    let isOpen = false;
    for (let i = from; i < end; i++) {
      const line = this.#at(i).trim();
      if (row === "") first = i;
      row += row === "" ? line : ` ${line}`;
      // A quoted cell may continue on the next lines.
      if (line.split('"').length % 2 === 0) isOpen = !isOpen;
      if (isOpen && row.length < MAX_MARKED_UNITS) continue;
      this.#csvRow(row, first);
      row = "";
      isOpen = false;
    }
    this.#csvRow(row, first);
    writer.blank();
    return end;
  }

  #csvRow(line: string, i: number): void {
    const { cells, isOpen } = separatedCells(line, ",");
    const row = (isOpen ? line.split(",") : cells).map((cell) => this.#inline(cell.trim()));
    this.#writer.row(row, i + 1);
  }

  #gridTable(from: number): number {
    const writer = this.#writer;
    let end = from;
    while (/^\s*[|+]/.test(this.#at(end))) end++;
    const grid = new RstGrid(this.#lines.slice(from, end));
    writer.blank();
    for (const { cells, line } of grid.rows()) {
      const row = cells.map((cell) => this.#inline(cell));
      writer.row(row, from + line + 1);
    }
    writer.blank();
    return end;
  }
}

const MAX_TABLE_LINES = 5000;
/** Lines of an item "#." before the next one of its list. */
const MAX_ITEM_LINES = 200;

/** The mark of a list item ("#." for the next number), "" for another line, and the rest of the line. */
function itemOf(line: string): { mark: string; text: string } {
  const [whole = "", mark] = /^(?:([-*+•]|#\.)|\|)\s+/.exec(line) ?? [];
  const text = line.slice(whole.length).replace(/^:([\w -]{1,40}):\s+(?=\S)/, "$1: ");
  return { mark: mark === undefined || mark === "#." ? (mark ?? "") : BULLET, text };
}

/** A literal, role or link that is not closed. */
function openMark(line: string): RegExp | undefined {
  const withoutLiterals = line.replace(/``.+?``/g, "");
  if (/(?:^|[\s('"])``(?=\S)/.test(withoutLiterals)) return /``/;
  const rest = withoutLiterals.replace(/`[^`]+`/g, "");
  return /(?:^|[\s:('"])`(?=\S)/.test(rest) ? /`_{0,2}/ : undefined;
}

/** The text of inline markup: literals, roles, links, emphasis. */
function inline(text: string, values: ReadonlyMap<string, string>): string {
  if (text.length > MAX_MARKED_UNITS) return text;
  const literals: string[] = [];
  return text
    .replace(/``(.+?)``/g, (_, code: string) => `\ue000${literals.push(code) - 1}\ue000`)
    .replace(/:(?:sup|superscript):`([^`]*)`/g, (_, raised: string) => superscript(raised))
    .replace(/(?:(?<![\w:.+-]):[\w:.+-]+:)?`~?([^`<]*)<[^`<>]*>`_{0,2}/g, (_, label: string) => label.trimEnd())
    .replace(/(?<![\w:.+-]):[\w:.+-]+:`~([^`]*)`/g, (_, name: string) => name.slice(name.lastIndexOf(".") + 1))
    .replace(/(?<![\w:.+-]):[\w:.+-]+:`!?([^`]*)`/g, "$1")
    .replace(/`([^`]+)`_{0,2}/g, "$1")
    .replace(/\*\*(?=\S)((?:[^*]|\*(?!\*))+)(?<=\S)\*\*/g, "$1")
    .replace(/(^|[\s('"\-/])\*(\S(?:[^*]*?\S)?)\*(?=$|[\s)'".,:;!?\-/])/g, "$1$2")
    .replace(/\|([^|\s](?:[^|]*[^|\s])?)\|_{0,2}/g, (_, name: string) => values.get(name) ?? name)
    .replace(/\b(\w+)__?(?=[\s.,;:)]|$)/g, (whole, word: string) =>
      whole.includes("__") || /^[A-Z]/.test(word) ? word : whole,
    )
    .replace(/\s?\[(?:#\w*|\*|\d+)\]_/g, "")
    .replace(/\\([^\w\t])/g, (_, escaped: string) => (escaped === " " ? "" : escaped))
    .replace(/\ue000(\d+)\ue000/g, (whole, number: string) => literals[Number(number)] ?? whole);
}
