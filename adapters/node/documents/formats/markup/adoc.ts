/** AsciiDoc: headings, paragraphs, lists, tables and code, without the marks of inline markup. Nothing is included or run. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET, checkBox, type NumberFormat, numberText } from "../list-marks.js";
import { superscript } from "../superscript.js";
import { AdocTable } from "./adoc-table.js";
import { indentOf, linesOf, MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";

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
  const attributes = new Map<string, string>();
  const lines = linesOf(source);
  let block: { end: string; kind: "code" | "dropped" } | undefined;
  let table: AdocTable | undefined;
  let options = "";
  /** The last number of each level of the numbered list that is open. */
  const numbers: number[] = [];
  /** "+" above joins what follows to the item of a list, and so does a block around it, up to its delimiter. */
  let isJoined = false;
  let joinedBlock = "";
  const endList = () => {
    if (!isJoined && joinedBlock === "") numbers.length = 0;
  };
  const inline = (text: string) => inlineText(text, attributes);
  for (const [i, raw] of lines.entries()) {
    const number = i + 1;
    const line = raw.trimEnd();
    if (block !== undefined) {
      if (line === block.end) {
        block = undefined;
        writer.blank();
      } else if (block.kind === "code" && line !== "") writer.code(line, number);
      continue;
    }
    if (table !== undefined) {
      if (TABLE.test(line)) {
        table.end();
        table = undefined;
      } else table.add(line, number);
      continue;
    }
    const dropped = DROPPED_BLOCK.exec(line)?.[1];
    const code = CODE_BLOCK.exec(line)?.[1];
    const isBlock = dropped !== undefined || code !== undefined || TABLE.test(line) || line.startsWith("//");
    if (isBlock) endList();
    const heading = HEADING.exec(line);
    const attribute = /^:(!?[\w-]+!?):(?:\s(.*))?$/.exec(line);
    if (line === "") writer.blank();
    else if (dropped !== undefined) block = { end: dropped, kind: "dropped" };
    else if (code !== undefined) {
      writer.blank();
      block = { end: code.startsWith("```") ? "```" : code, kind: "code" };
    } else if (TABLE.test(line)) {
      table = new AdocTable(writer, { fence: line, options, inline });
    } else if (TEXT_BLOCK.test(line) || /^(?:<<<|'{3,}|toc::\[\]|\+)$/.test(line) || line.startsWith("//"))
      writer.blank();
    else if (/^(?:include|ifdef|ifndef|ifeval|endif)::/.test(line)) continue;
    else if (attribute !== null) {
      const value = attribute[2]?.trim() ?? "";
      attributes.set(attribute[1]!, withAttributes(value, attributes).slice(0, MAX_VALUE_UNITS));
      if (attribute[1] === "author") writer.fields.author = value;
    } else if (heading !== null) {
      const level = heading[1]!.length;
      const text = inline(withoutEndMark(heading[2]!, heading[1]!));
      writer.heading(text, level, number);
      numbers.length = 0;
      joinedBlock = "";
      if (level === 1 && writer.title === "") writer.title = text;
    } else if (OPTIONS.test(line)) {
      options = line;
      continue;
    } else if (BLOCK_TITLE.test(line)) {
      // The title of a block.
      endList();
      writer.blank();
      writer.line(inline(line.slice(1)), number);
      writer.blank();
      continue;
    } else {
      const { mark, text, level } = itemOf(line);
      // An item without a number has the next one of its list, which ends at a paragraph without an indent.
      if (level > 0) numbers.length = level;
      else if (mark === "" && lines[i - 1]?.trim() === "" && indentOf(line) === 0) endList();
      if (level > 0) numbers[level - 1] = (numbers[level - 1] ?? firstNumber(options) - 1) + 1;
      const term = text.replace(/^(?:(\S.{0,100}?)(?:::|;;)(?:\s+|$))/, "$1: ").replace(/: $/, ":");
      writer.item(mark ?? numberMark(numbers, level), inline(term), number);
    }
    if (TEXT_BLOCK.test(line) && (isJoined || joinedBlock !== "")) joinedBlock = joinedBlockAfter(line, joinedBlock);
    isJoined = line.trim() === "+";
    options = "";
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
