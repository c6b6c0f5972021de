/** Characters, groups and commands of LaTeX as text, read in order. Nothing is included or run. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { ReadLimits } from "../../limits.js";
import { unreadable } from "../../skip.js";
import { superscript } from "../superscript.js";
import { closingBrace, closingMark, unclosedBraces } from "./tex-braces.js";
import {
  ACCENTS,
  ADDRESSES,
  DEFINING,
  DINGS,
  DROPPED,
  FRACTIONS,
  OPERATORS,
  QUANTITIES,
  SECTIONS,
  SYMBOLS,
  UNPRINTED_ARGUMENTS,
  UNPRINTED_DEFINITIONS,
} from "./tex-commands.js";
import { TexMacros } from "./tex-macros.js";
import { numberOf, quantity, unitOf } from "./tex-units.js";

/** What separates the cells and rows of a table in the text of `piece`. */
export const CELL_MARK = "\ue001";
export const ROW_MARK = "\ue002";

const MAX_SETTING_UNITS = 60;
const SETTING = /^\{(?:[\d.,+*-]*\s?\\)?[\w@:.,+*-]*\}/;

/** Besides a blank line, these commands end a group that is never closed. */
const GROUP_ENDS = new Set([...SECTIONS, "begin", "end", "item"]);
/** No address is longer. */
const MAX_ADDRESS_UNITS = 2000;
const MAX_QUANTITY_UNITS = 200;
/** No code inside a line is longer. */
const MAX_CODE_UNITS = 1000;
const LABEL_AND_KEY = [
  ["[", "]"],
  ["{", "}"],
] as const;
/** No label of a reference is longer. */
const MAX_LABEL_UNITS = 2000;
/** What is between the name of a definition and its group. */
const MAX_PARAMETER_UNITS = 200;
/** Columns that a cell covers. */
const MAX_SPAN = 100;

export class TexScanner {
  readonly source: string;
  readonly #limits: ReadLimits;
  /** Offset of the next character. Callers may move it. */
  at = 0;
  /** Whether `&` and `\\` separate cells and rows. */
  inTable = false;
  /** Texts of footnotes since the caller last took them. */
  readonly notes: string[] = [];
  readonly macros: TexMacros;
  #unclosed: ReadonlySet<number> | undefined;
  #line = 1;
  #countedTo = 0;

  constructor(source: string, limits: ReadLimits, { macros = new TexMacros() } = {}) {
    this.source = source;
    this.#limits = limits;
    this.macros = macros;
  }

  /** Line of the next character, from 1. */
  get line(): number {
    for (
      let i = this.source.indexOf("\n", this.#countedTo);
      i >= 0 && i < this.at;
      i = this.source.indexOf("\n", i + 1)
    ) {
      this.#line++;
      this.#countedTo = i + 1;
    }
    return this.#line;
  }

  peekCommand(): string {
    const name = /\\([a-zA-Z@]+\*?)/y;
    name.lastIndex = this.at;
    return name.exec(this.source)?.[1] ?? "";
  }

  /** The text of what is at this place: a character, group or command. Moves behind it. */
  piece(depth = 0): string {
    if (depth > this.#limits.maxDepth) throw unreadable("is nested too deeply", "Save it as plain text.");
    const source = this.source;
    const unit = source[this.at]!;
    if (unit === "%") {
      const next = source.indexOf("\n", this.at);
      // A blank line after the comment ends the paragraph.
      const blank = /\n[ \t]*\r?\n/y;
      blank.lastIndex = Math.max(0, next);
      this.at = next < 0 ? source.length : blank.test(source) ? next : next + 1;
      return "";
    }
    if (unit === "{") return this.#group(depth);
    if (unit === "&" && this.inTable) {
      this.at++;
      return CELL_MARK;
    }
    if (unit === "~" || unit === "}" || unit === "$") {
      this.at++;
      return unit === "~" ? " " : "";
    }
    if (unit !== "\\") {
      const plain = /[^\\{}%~$&\n`'-]+|---?|``|''|[\s\S]/y;
      plain.lastIndex = this.at;
      const [text] = plain.exec(source)!;
      this.at += text.length;
      // 20^\circ
      if (text.endsWith("^") && /^\{?\\circ/.test(source.slice(this.at, this.at + 6))) return text.slice(0, -1);
      return ({ "---": "—", "--": "–", "``": "“", "''": "”" } as Record<string, string>)[text] ?? text;
    }
    return this.#command(depth);
  }

  #command(depth: number): string {
    const source = this.source;
    const name = this.peekCommand();
    if (name === "") {
      const symbol = source[this.at + 1] ?? "";
      this.at += 2;
      if (symbol === "\\") {
        if (!this.inTable) return " ";
        this.optional();
        return ROW_MARK;
      }
      if (Object.hasOwn(ACCENTS, symbol)) return this.#accent(symbol, depth);
      return /[,;:! /]/.test(symbol) ? " " : /[%&_#${}]/.test(symbol) ? symbol : symbol === "\n" ? " " : "";
    }
    const defined = DEFINING.has(name.replace("*", "")) ? this.macros.define(source, this.at) : -1;
    if (defined >= 0) {
      this.at = defined;
      return "";
    }
    this.at += name.length + 1;
    while (source[this.at] === " ") this.at++;
    return this.#macro(name, depth) ?? this.#named(name, depth);
  }

  /** The text of a macro that the document defines; undefined if it defines none of this name. */
  #macro(name: string, depth: number): string | undefined {
    const hasSpace = this.source[this.at - 1] === " ";
    const macro = this.macros.expand(name, (body) => this.#bodyText(body));
    if (macro === undefined) return undefined;
    const text = this.inTable ? macro.text : macro.text.replaceAll(CELL_MARK, "&").replaceAll(ROW_MARK, " ");
    if (macro.last === "xspace")
      return hasSpace && /[^.,;:!?)'/~-]/.test(this.source[this.at] ?? ".") ? `${text} ` : text;
    if (macro.last !== "") return text + this.#named(macro.last, depth);
    if (this.source.startsWith("{}", this.at)) this.at += 2;
    return text;
  }

  #bodyText(body: string): string {
    const scanner = new TexScanner(body, this.#limits, { macros: this.macros });
    scanner.inTable = true;
    let text = "";
    while (scanner.at < body.length) text += scanner.piece();
    return text;
  }

  /** What a command prints; its name and the spaces after it have been read. */
  #named(name: string, depth: number): string {
    const source = this.source;
    if (name.length === 1 && Object.hasOwn(ACCENTS, name)) return this.#accent(name, depth);
    if (Object.hasOwn(SYMBOLS, name)) {
      if (source.startsWith("{}", this.at)) this.at += 2;
      return SYMBOLS[name]!;
    }
    if (Object.hasOwn(OPERATORS, name)) return ` ${OPERATORS[name]!} `;
    if (name === "verb" || name === "lstinline" || name === "mintinline") return this.#code(name, depth);
    if (ADDRESSES.has(name)) return this.#link(name, depth);
    if (name === "footnote") {
      this.optional();
      const note = oneLine(this.argument(depth + 1));
      if (note !== "") this.notes.push(note);
      return "";
    }
    if (name.endsWith("def") && DEFINING.has(name)) {
      this.#skipDefinition(depth);
      return "";
    }
    if (Object.hasOwn(QUANTITIES, name)) return this.#quantity(name);
    if (FRACTIONS.has(name)) {
      const above = inFraction(this.#token(depth + 1));
      return `${above}/${inFraction(this.#token(depth + 1))}`;
    }
    if (name === "ding") {
      const number = this.argument(depth + 1);
      return Object.hasOwn(DINGS, number) ? DINGS[number]! : "";
    }
    if (name === "textsuperscript") return superscript(this.argument(depth + 1));
    if (name === "multirow") return this.#multirow(depth);
    if (name === "multicolumn") return this.#multicolumn(depth);
    if (name === "tabularnewline") return this.inTable ? ROW_MARK : " ";
    if (DROPPED.has(name.replace("*", ""))) {
      if (name === "cmidrule")
        this.at += /^\([lr\d.{}a-z]{0,20}\)/.exec(source.slice(this.at, this.at + 30))?.[0].length ?? 0;
      this.skipArguments(depth + 1);
      return "";
    }
    const defined = UNPRINTED_DEFINITIONS.get(name);
    if (defined !== undefined) {
      for (let i = 0; i < defined && /^\s*[[{]/.test(source.slice(this.at, this.at + MAX_PARAMETER_UNITS)); i++)
        this.argument(depth + 1);
      return "";
    }
    if (name === "texorpdfstring") {
      const text = this.argument(depth + 1);
      this.argument(depth + 1);
      return text;
    }
    while (source[this.at] === "[") this.optional();
    const unprinted = UNPRINTED_ARGUMENTS.get(name.replace("*", "")) ?? 0;
    for (let i = 0; i < unprinted && source[this.at] === "{"; i++) this.argument(depth + 1);
    while (source[this.at] === "[") this.optional();
    return "";
  }

  /** The text of a link, or its address if it has none. */
  #link(name: string, depth: number): string {
    const source = this.source;
    while (source[this.at] === "[") this.optional();
    if (source[this.at] !== "{") return "";
    const address = this.#address();
    // The text of a link may be on the next line.
    const next = /\s*(?:%[^\n]*\n\s*)?\{/y;
    next.lastIndex = this.at;
    if (name !== "href" || !next.test(source)) return address;
    this.at = next.lastIndex - 1;
    return this.#group(depth);
  }

  /** Skips what a command defines, with its parameters, up to its group. */
  #skipDefinition(depth: number): void {
    const group = this.source.slice(this.at, this.at + MAX_PARAMETER_UNITS).indexOf("{");
    if (group < 0) return;
    this.at += group;
    this.#group(depth);
  }

  #multirow(depth: number): string {
    this.argument(depth + 1); // rows
    if (this.source[this.at] === "[") this.optional();
    this.#token(depth + 1); // width
    return this.argument(depth + 1);
  }

  /** The text of a cell, and the columns that it covers as empty cells. */
  #multicolumn(depth: number): string {
    const columns = Math.max(1, Number(this.argument(depth + 1)) || 1);
    this.argument(depth + 1); // alignment
    const text = this.argument(depth + 1);
    return this.inTable ? text + CELL_MARK.repeat(Math.min(columns, MAX_SPAN) - 1) : text;
  }

  /** Code on one line, between braces or two equal characters. */
  #code(name: string, depth: number): string {
    if (name !== "verb") this.optional();
    if (name === "mintinline") this.argument(depth + 1); // the language
    const from = this.at + 1;
    const rest = this.source.slice(from, from + MAX_CODE_UNITS);
    const [line] = rest.split("\n", 1) as [string];
    const mark = this.source[this.at] ?? "";
    const end = mark === "{" ? closingBrace(line) : line.indexOf(mark);
    if (mark === "" || end < 0) return "";
    this.at = from + end + 1;
    return line.slice(0, end);
  }

  /** A group, a command or one character: "\frac12" is 1/2. */
  #token(depth: number): string {
    while (this.source[this.at] === " ") this.at++;
    const unit = this.source[this.at] ?? "\n";
    if (unit === "{" || unit === "\\") return this.piece(depth);
    if (unit === "\n" || unit === "}" || unit === "$") return "";
    this.at++;
    return unit;
  }

  /** "\SI{10}{\metre}" as "10 m", "\SIrange{1}{2}{\metre}" as "1–2 m". */
  #quantity(name: string): string {
    this.optional();
    const numbers = Array.from({ length: QUANTITIES[name]! }, () => numberOf(this.#rawArgument()));
    const unit = name === "ang" ? "°" : name.startsWith("num") ? "" : unitOf(this.#rawArgument());
    return numbers.length === 0 ? unit : quantity(numbers.join("–"), unit);
  }

  /** What is in the braces at this place, with its commands; "" without braces. */
  #rawArgument(): string {
    if (this.source[this.at] !== "{") return "";
    const rest = this.source.slice(this.at + 1, this.at + 1 + MAX_QUANTITY_UNITS);
    const end = closingBrace(rest);
    if (end < 0) return "";
    this.at += end + 2;
    return rest.slice(0, end);
  }

  #accent(mark: string, depth: number): string {
    const base =
      this.source[this.at] === "{"
        ? this.argument(depth + 1)
        : this.at < this.source.length
          ? this.piece(depth + 1)
          : "";
    const [first = "", ...rest] = [...(base === "ı" ? "i" : base)];
    return first === "" ? "" : (first + ACCENTS[mark]!).normalize("NFC") + rest.join("");
  }

  /** A group in braces, or one piece. */
  argument(depth = 0): string {
    const source = this.source;
    while (this.at < source.length && /[ \t\n]/.test(source[this.at]!)) this.at++;
    if (source[this.at] === "[") this.optional();
    return this.at < source.length ? this.piece(depth) : "";
  }

  #group(depth: number): string {
    const source = this.source;
    this.#unclosed ??= unclosedBraces(source);
    const isUnclosed = this.#unclosed.has(this.at);
    this.at++;
    let text = "";
    while (this.at < source.length && source[this.at] !== "}") {
      if (isUnclosed && this.#isGroupEnd()) return text;
      text += this.piece(depth + 1);
    }
    this.at++;
    // A row does not end in braces: "\makecell{two \\ lines}" is in one cell.
    return isUnclosed ? text : text.replaceAll(ROW_MARK, " ");
  }

  #isGroupEnd(): boolean {
    const blank = /\n[ \t]*\r?\n/y;
    blank.lastIndex = this.at;
    return blank.test(this.source) || GROUP_ENDS.has(this.peekCommand().replace("*", ""));
  }

  /** An address in braces, in which `%` begins no comment. One that is never closed ends with its line. */
  #address(): string {
    const from = this.at + 1;
    const rest = this.source.slice(from, from + MAX_ADDRESS_UNITS);
    const [paragraph] = rest.split(/\n[ \t]*\r?\n/, 1) as [string];
    let end = closingBrace(paragraph);
    const isClosed = end >= 0;
    if (!isClosed) end = (rest.split("\n", 1) as [string])[0].length;
    this.at = from + end + (isClosed ? 1 : 0);
    const lines = rest.slice(0, end).split("\n");
    const address = lines.map((line) => line.trim()).join("");
    return address.replace(/\\([%#&_~{}$])/g, "$1");
  }

  /** An optional argument in brackets on one line; "" if there is none. */
  optional(): string {
    const match = /\[([^\][\n]{0,500})\]/y;
    match.lastIndex = this.at;
    const found = match.exec(this.source);
    if (found === null) {
      // An open bracket without its end is text.
      if (this.source[this.at] === "[") this.at++;
      return "";
    }
    this.at += found[0].length;
    return found[1]!;
  }

  /** The text of an optional argument; "" if there is none. */
  optionalText(): string {
    return oneLine(this.#bodyText(this.optional()).replaceAll(CELL_MARK, "&").replaceAll(ROW_MARK, " "));
  }

  /** The label and the key of an entry of a list of references. A label of natbib holds braces and lines. */
  skipEntryKey(): void {
    for (const [open, close] of LABEL_AND_KEY) {
      while (/\s/.test(this.source[this.at] ?? "")) this.at++;
      if (this.source[this.at] !== open) continue;
      const rest = this.source.slice(this.at + 1, this.at + 1 + MAX_LABEL_UNITS);
      const end = closingMark(rest, close);
      if (end >= 0) this.at += end + 2;
    }
  }

  /** Skips options and arguments without text: a number, a length, a language. Other groups are text of the document. */
  skipSettings(): void {
    for (let i = 0; i < 4; i++) {
      if (this.source[this.at] === "[") this.optional();
      else if (SETTING.test(this.source.slice(this.at, this.at + MAX_SETTING_UNITS))) this.argument(0);
      else return;
    }
  }

  /** Arguments right after a command. */
  skipArguments(depth = 0): void {
    for (let i = 0; i < 4 && /[[{]/.test(this.source[this.at] ?? ""); i++) {
      if (this.source[this.at] === "[") this.optional();
      else this.argument(depth);
    }
  }
}

/** "a+b" as "(a+b)", so that it stays one part of a fraction. */
function inFraction(text: string): string {
  const shown = text.trim();
  return /^[\p{L}\p{N}.,]*$/u.test(shown) ? shown : `(${shown})`;
}
