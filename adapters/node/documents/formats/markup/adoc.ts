/**
 * AsciiDoc: headings, paragraphs, lists, tables and code, without the marks of inline markup. Nothing is included or
 * run.
 */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET, checkBox, type NumberFormat, numberText } from "../list-marks.js";
import { superscript } from "../superscript.js";
import { indentOf, linesOf } from "../text-lines.js";
import { AdocTable } from "./adoc-table.js";
import { MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";

/** Title: that of the header, else the first heading, else the file's name. Places are lines. */
export function readAdoc(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, { kind: "adoc", write: writeAdoc });
}

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/;
/** Delimiters of blocks whose content is code (listing, literal), is dropped (comment, passthrough), or is text. */
const CODE_BLOCK = /^(-{4,}|\.{4,}|```\w*)\s*$/;
const DROPPED_BLOCK = /^(\/{4,}|\+{4,})\s*$/;
const TEXT_BLOCK = /^(={4,}|\*{4,}|_{4,}|--)\s*$/;
const OPTIONS = /^\[.*\]$/;
const BLOCK_TITLE = /^\.[^\s.]/;
/** A page break, a rule, a table of contents, or what joins a block to an item. */
const BREAK = /^(?:<<<|'{3,}|toc::\[\]|\+)$/;
/** Files that would be inserted, and conditions for what follows. */
const CONDITION = /^(?:include|ifdef|ifndef|ifeval|endif)::/;
const ATTRIBUTE = /^:(!?[\w-]+!?):(?:\s(.*))?$/;
const TABLE = /^[|!,:]===\s*$/;
/** Longer values of attributes are cut: each may be repeated in others. */
const MAX_VALUE_UNITS = 1000;
/** Attributes that every document has (docs.asciidoctor.org, "Character replacement attributes"). */
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ empty: "", blank: "", sp: " ", nbsp: " ", zwsp: "", wj: "", apos: "'", quot: '"', lsquo: "‘", rsquo: "’" },
  ...{ ldquo: "“", rdquo: "”", deg: "°", plus: "+", brvbar: "¦", vbar: "|", amp: "&", lt: "<", gt: ">", startsb: "[" },
  ...{ endsb: "]", caret: "^", asterisk: "*", tilde: "~", backslash: "\\", backtick: "`", cpp: "C++", pp: "++" },
  ...{ "two-colons": "::", "two-semicolons": ";;", cxx: "C++" },
};
const ITEM = /^\s*(?:([*-]{1,6})|(\.{1,6})|(\d+\.)|<(\d+)>)\s+(?=\S)/;
const LEVELS: readonly NumberFormat[] = ["decimal", "lower-letter", "lower-roman", "upper-letter", "upper-roman"];
const BOX = /^\[([ xX*])\]\s+/;

function writeAdoc(source: string, writer: MarkupWriter): void {
  const reading = new AdocReading(writer);
  for (const [i, line] of linesOf(source).entries()) reading.line(line.trimEnd(), i + 1);
}

class AdocReading {
  readonly #writer: MarkupWriter;
  readonly #attributes = new Map<string, string>();
  /** The block or table that is open. */
  #block: { end: string; kind: "code" | "dropped" } | undefined;
  #table: AdocTable | undefined;
  /** "[…]" above a line. */
  #options = "";
  /** The last number of each level of the numbered list that is open. */
  readonly #numbers: number[] = [];
  /** "+" above joins what follows to the item of a list, and so does a block around it, up to its delimiter. */
  #isJoined = false;
  #joinedBlock = "";
  #isAfterBlank = false;

  constructor(writer: MarkupWriter) {
    this.#writer = writer;
  }

  /** @param line  without white space at its end */
  line(line: string, number: number): void {
    if (this.#block !== undefined) this.#inBlock(line, number, this.#block);
    else if (this.#table !== undefined) this.#inTable(line, number, this.#table);
    else if (OPTIONS.test(line)) this.#options = line;
    else if (BLOCK_TITLE.test(line)) this.#blockTitle(line.slice(1), number);
    else if (!CONDITION.test(line)) {
      this.#outside(line, number);
      if (TEXT_BLOCK.test(line) && this.#isInItem()) this.#joinedBlock = joinedBlockAfter(line, this.#joinedBlock);
      this.#isJoined = line.trim() === "+";
      this.#options = "";
    }
    this.#isAfterBlank = line.trim() === "";
  }

  #inBlock(line: string, number: number, { end, kind }: { end: string; kind: string }): void {
    if (line === end) {
      this.#block = undefined;
      this.#writer.blank();
    } else if (kind === "code" && line !== "") this.#writer.code(line, number);
  }

  #inTable(line: string, number: number, table: AdocTable): void {
    if (TABLE.test(line)) {
      table.end();
      this.#table = undefined;
    } else table.add(line, number);
  }

  #blockTitle(title: string, number: number): void {
    this.#endList();
    this.#writer.blank();
    this.#writer.line(this.#inline(title), number);
    this.#writer.blank();
  }

  #outside(line: string, number: number): void {
    const dropped = DROPPED_BLOCK.exec(line)?.[1];
    const code = CODE_BLOCK.exec(line)?.[1];
    const attribute = ATTRIBUTE.exec(line);
    const heading = HEADING.exec(line);
    const isComment = line.startsWith("//");
    if (dropped !== undefined || code !== undefined || TABLE.test(line) || isComment) this.#endList();
    if (line === "") this.#writer.blank();
    else if (dropped !== undefined) this.#block = { end: dropped, kind: "dropped" };
    else if (code !== undefined) {
      this.#writer.blank();
      this.#block = { end: code.startsWith("```") ? "```" : code, kind: "code" };
    } else if (TABLE.test(line)) {
      const inline = (text: string) => this.#inline(text);
      this.#table = new AdocTable(this.#writer, { fence: line, options: this.#options, inline });
    } else if (TEXT_BLOCK.test(line) || BREAK.test(line) || isComment) this.#writer.blank();
    else if (attribute !== null) this.#setAttribute(attribute[1]!, attribute[2]?.trim() ?? "");
    else if (heading !== null) this.#heading(heading[1]!, heading[2]!, number);
    else this.#text(line, number);
  }

  #setAttribute(name: string, value: string): void {
    this.#attributes.set(name, withAttributes(value, this.#attributes).slice(0, MAX_VALUE_UNITS));
    if (name === "author") this.#writer.fields.author = value;
  }

  /** @param mark  as many "=" or "#" as its level */
  #heading(mark: string, heading: string, number: number): void {
    const text = this.#inline(withoutEndMark(heading, mark));
    this.#writer.heading(text, mark.length, number);
    this.#numbers.length = 0;
    this.#joinedBlock = "";
    if (mark.length === 1 && this.#writer.title === "") this.#writer.title = text;
  }

  /** A line of a paragraph, or of an item. */
  #text(line: string, number: number): void {
    const { mark, text, level } = itemOf(line);
    const numbers = this.#numbers;
    // An item without a number has the next one of its list, which ends at a paragraph without an indent.
    if (level > 0) {
      numbers.length = level;
      numbers[level - 1] = (numbers[level - 1] ?? firstNumber(this.#options) - 1) + 1;
    } else if (mark === "" && this.#isAfterBlank && indentOf(line) === 0) this.#endList();
    const term = text.replace(/^(?:(\S.{0,100}?)(?:::|;;)(?:\s+|$))/, "$1: ").replace(/: $/, ":");
    this.#writer.item(mark ?? numberMark(numbers, level), this.#inline(term), number);
  }

  #isInItem(): boolean {
    return this.#isJoined || this.#joinedBlock !== "";
  }

  /** Ends the numbered list, unless what follows is a part of its item. */
  #endList(): void {
    if (!this.#isInItem()) this.#numbers.length = 0;
  }

  #inline(text: string): string {
    return inlineText(text, this.#attributes);
  }
}

/** The delimiter of the block around the next lines. */
function joinedBlockAfter(delimiter: string, open: string): string {
  if (open === "") return delimiter;
  return open === delimiter ? "" : open;
}

/**
 * The mark and the text of a list item; of another line, its text.
 * @returns level  of an item with a number that is counted, from 1; else 0
 */
function itemOf(line: string): { mark: string | undefined; text: string; level: number } {
  const [whole = "", bullet, dots, number, callout] = ITEM.exec(line) ?? [];
  const text = line.slice(whole.length);
  if (dots !== undefined) return { mark: undefined, text, level: dots.length };
  if (bullet === undefined) return { mark: number ?? (callout && `${callout}.`) ?? "", text, level: 0 };
  const box = BOX.exec(text);
  if (box === null) return { mark: BULLET, text, level: 0 };
  return { mark: checkBox(box[1] !== " "), text: text.slice(box[0].length), level: 0 };
}

/** The number of an item of a level, from 1: "1.", "a.", "i.", "A.", "I." */
function numberMark(numbers: readonly number[], level: number): string {
  return `${numberText(numbers[level - 1]!, LEVELS[Math.min(level, LEVELS.length) - 1]!)}.`;
}

/** That of "[start=4]". */
function firstNumber(options: string): number {
  return Number(/\bstart=(\d{1,6})\b/.exec(options)?.[1] ?? 1);
}

/** "Title ==" as "Title". */
function withoutEndMark(text: string, mark: string): string {
  const bare = text.slice(0, -mark.length);
  return text.endsWith(mark) && /\s$/.test(bare) ? bare.trimEnd() : text;
}

/** The label of `link:address[label]` and the like, else its address; `run` is all up to the bracket. */
function linkText(whole: string, run: string, label: string): string {
  const macro = /(?:link|xref|mailto|image|kbd|btn|menu)::?/.exec(run);
  const at = macro?.index ?? run.search(/\bhttps?:\/\//);
  if (at < 0) return whole;
  const target = run.slice(macro === null ? at : at + macro[0].length);
  return run.slice(0, at) + ((label.split(",", 1)[0] ?? "").replace(/^"|"$/g, "") || target);
}

/** "+*.war+" without its marks, unless it is part of a word. */
function plainLiteral(whole: string, literal: string, at: number, text: string): string {
  const isMarked = /[\s(["'—-]/.test(text[at - 1] ?? " ") && /[\s)\]"'.,:;!?—-]/.test(text[at + whole.length] ?? " ");
  return isMarked ? literal : whole;
}

function withAttributes(text: string, attributes: ReadonlyMap<string, string>): string {
  if (text.length > MAX_MARKED_UNITS) return text;
  return text.replace(
    /\{([\w-]+)\}/g,
    (whole, name: string) => attributes.get(name) ?? (Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name]! : whole),
  );
}

function inlineText(text: string, attributes: ReadonlyMap<string, string>): string {
  if (text.length > MAX_MARKED_UNITS) return text;
  return withAttributes(text, attributes)
    .replace(/\[\[[^[\]]*\]\]/g, "")
    .replace(/(?<![^\s[\]])([^\s[\]]+)\[([^[\]]*)\]/g, linkText)
    .replace(/<<([^<>,]+)(?:,([^<>]+))?>>/g, (_, id: string, label?: string) => (label ?? id).trim())
    .replace(/footnote:\w*\[([^[\]]*)\]/g, " ($1)")
    .replace(/(?:\[[^[\]\s]*\])?##([^#]+)##/g, "$1")
    .replace(/\*\*(?=\S)((?:[^*]|\*(?!\*))+)(?<=\S)\*\*/g, "$1")
    .replace(/__(?=\S)((?:[^_]|_(?!_))+)(?<=\S)__/g, "$1")
    .replace(/``(.+?)``/g, "$1")
    .replace(/(^|[\s(["'—-])([*_`+])(?=\S)((?:(?!\2).|(?<=\w)\2(?=\w))+)(?<=\S)\2(?=$|[\s)\]"'.,:;!?—-])/g, "$1$3")
    .replace(/\+([^+\s](?:[^+]*[^+\s])?)\+/g, plainLiteral)
    .replace(/\s\+$/, "")
    .replace(/\^([^\s^]+)\^/g, (_, raised: string) => superscript(raised))
    .replace(/~([^\s~]+)~/g, "$1");
}
