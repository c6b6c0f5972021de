/** LaTeX: sections, paragraphs, lists, tables, footnotes and code, without the commands. Nothing is included or run. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { unreadable } from "../../skip.js";
import { type MarkupWriter, readMarkup } from "./markup-writer.js";
import { ACCENTS, DROPPED, LAST_ARGUMENT, SYMBOLS } from "./tex-commands.js";

/** Title: `\title`, else the first heading, else the file's name. Places are lines. */
export function readTex(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, {
    kind: "tex",
    write: (source, writer) => new TexReader(source, writer, context.limits).read(),
  });
}

const SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
const VERBATIM = /^(?:verbatim|lstlisting|minted|Verbatim|alltt|comment|Highlighting|filecontents)\*?$/;
/** Environments that are drawings or lists of references by number. */
const DRAWN = /^(?:tikzpicture|pspicture|picture|axis|CCSXML)$/;
const TABLE = /^(?:tabular[xy*]?|longtable|tabulary|array|supertabular)\*?$/;
class TexReader {
  readonly #source: string;
  readonly #writer: MarkupWriter;
  readonly #limits: ReadLimits;
  #at = 0;
  #line = 1;
  #countedTo = 0;
  #notes: string[] = [];
  /** Cells of the row of the table that is open. */
  #cells: string[] | undefined;

  constructor(source: string, writer: MarkupWriter, limits: ReadLimits) {
    this.#source = source;
    this.#writer = writer;
    this.#limits = limits;
  }

  read(): void {
    const source = this.#source;
    const body = source.indexOf("\\begin{document}");
    for (const name of ["title", "author"] as const) {
      const at = source.search(new RegExp(`\\\\${name}\\s*[[{]`));
      if (at < 0) continue;
      this.#at = at + name.length + 1;
      const text = oneLine(this.#argument());
      if (name === "title") this.#writer.title = text;
      else if (text !== "") this.#writer.fields.author = text.slice(0, 500);
    }
    this.#at = Math.max(0, body);
    const end = source.indexOf("\\end{document}", this.#at);
    this.#paragraphs(end < 0 ? source.length : end);
    this.#blank();
  }

  get #number(): number {
    for (
      let i = this.#source.indexOf("\n", this.#countedTo);
      i >= 0 && i < this.#at;
      i = this.#source.indexOf("\n", i + 1)
    ) {
      this.#line++;
      this.#countedTo = i + 1;
    }
    return this.#line;
  }

  /** Reads up to `end`, line by line, so that each line has its place. */
  #paragraphs(end: number): void {
    const source = this.#source;
    let text = "";
    let number = this.#number;
    const flush = () => {
      const shown = oneLine(text);
      text = "";
      if (shown !== "") this.#put(shown, number);
    };
    while (this.#at < end) {
      const unit = source[this.#at]!;
      if (unit === "\n") {
        flush();
        const rest = /\n[ \t]*\r?\n\s*/y;
        rest.lastIndex = this.#at;
        const blank = rest.exec(source);
        if (blank !== null) this.#blank();
        this.#at += blank === null ? 1 : blank[0].length;
        number = this.#number;
      } else if (unit === "\\") {
        const environment = /\\(begin|end)\s*\{([^{}\n]{1,40})\}/y;
        environment.lastIndex = this.#at;
        const match = environment.exec(source);
        const command = match === null ? this.#peekCommand() : "";
        if (match !== null) {
          flush();
          this.#environment(match[1] as "begin" | "end", match[2]!, match[0].length);
          number = this.#number;
        } else if (SECTIONS.includes(command.replace("*", ""))) {
          flush();
          this.#heading(command);
          number = this.#number;
        } else if (command === "hypertarget") {
          this.#at += command.length + 1;
          this.#argument();
          // Its second argument is read in place: it may hold a heading.
          if (source[this.#at] === "{") this.#at++;
        } else if (command === "item") {
          flush();
          this.#at += "\\item".length;
          number = this.#number;
          const label = this.#optional();
          if (label !== "") text = `${label} `;
        } else if (source.startsWith("\\\\", this.#at) && this.#cells === undefined) {
          flush();
          this.#at += 2;
          this.#optional();
        } else text += this.#piece();
      } else text += this.#piece();
    }
    flush();
  }

  /** Text of a paragraph, or cells of a table: "&" and "\\\\" were kept as \ue001 and \ue002. */
  #put(text: string, number: number): void {
    if (this.#cells === undefined) {
      this.#writer.line(text, number);
      return;
    }
    for (const [r, row] of text.split("\ue002").entries()) {
      if (r > 0) this.#endRow(number);
      for (const [c, cell] of row.split("\ue001").entries()) {
        if (c > 0) this.#cells.push("");
        this.#cells[this.#cells.length - 1] += ` ${cell.trim()}`;
      }
    }
  }

  #endRow(number: number): void {
    const cells = this.#cells;
    if (cells === undefined) return;
    this.#writer.row(cells, number, true);
    this.#cells = [""];
  }

  #blank(): void {
    if (this.#cells !== undefined) return;
    this.#writer.blank();
    for (const note of this.#notes.splice(0)) {
      this.#writer.line(note, this.#number);
      this.#writer.blank();
    }
  }

  #environment(kind: "begin" | "end", name: string, length: number): void {
    const writer = this.#writer;
    const source = this.#source;
    this.#at += length;
    if (kind === "begin" && (VERBATIM.test(name) || DRAWN.test(name))) {
      const close = source.indexOf(`\\end{${name}}`, this.#at);
      const end = close < 0 ? source.length : close;
      this.#blank();
      if (name !== "comment" && !DRAWN.test(name)) {
        const first = this.#number;
        for (const [i, line] of source.slice(this.#at, end).split("\n").entries())
          if (i > 0 && line.trim() !== "")
            writer.code(line.replace(/\\[A-Z]\w{0,30}Tok\{([^{}]*)\}/g, "$1"), first + i);
      }
      this.#at = Math.min(source.length, end + `\\end{${name}}`.length);
      writer.blank();
    } else if (TABLE.test(name)) {
      if (kind === "begin") {
        this.#skipArguments();
        writer.beginTable();
        this.#cells = [""];
      } else {
        this.#endRow(this.#number);
        this.#cells = undefined;
        writer.endTable();
      }
    } else {
      if (kind === "begin") this.#skipArguments();
      if (!/^(?:center|flushleft|flushright|minipage|small)$/.test(name)) this.#blank();
    }
  }

  /** Arguments right after a command. */
  #skipArguments(depth = 0): void {
    for (let i = 0; i < 4 && /[[{]/.test(this.#source[this.#at] ?? ""); i++) {
      if (this.#source[this.#at] === "[") this.#optional();
      else this.#argument(depth);
    }
  }

  #heading(command: string): void {
    const number = this.#number;
    this.#at += command.length + 1;
    this.#optional();
    const text = oneLine(this.#argument());
    this.#blank();
    if (text !== "") this.#writer.heading(text, SECTIONS.indexOf(command.replace("*", "")) + 1, number);
  }

  #peekCommand(): string {
    const name = /\\([a-zA-Z@]+\*?)/y;
    name.lastIndex = this.#at;
    return name.exec(this.#source)?.[1] ?? "";
  }

  /** The text of what is at this place: a character, group or command. Moves behind it. */
  #piece(depth = 0): string {
    if (depth > this.#limits.maxDepth) throw unreadable("is nested too deeply", "Save it as plain text.");
    const source = this.#source;
    const unit = source[this.#at]!;
    if (unit === "%") {
      const next = source.indexOf("\n", this.#at);
      this.#at = next < 0 ? source.length : next + 1;
      return "";
    }
    if (unit === "{") return this.#group(depth);
    if (unit === "&" && this.#cells !== undefined) {
      this.#at++;
      return "\ue001";
    }
    if (unit === "~" || unit === "}" || unit === "$") {
      this.#at++;
      return unit === "~" ? " " : "";
    }
    if (unit !== "\\") {
      const plain = /[^\\{}%~$&\n`'-]+|---?|``|''|[\s\S]/y;
      plain.lastIndex = this.#at;
      const [text] = plain.exec(source)!;
      this.#at += text.length;
      return ({ "---": "—", "--": "–", "``": "“", "''": "”" } as Record<string, string>)[text] ?? text;
    }
    return this.#command(depth);
  }

  #command(depth: number): string {
    const source = this.#source;
    const name = this.#peekCommand();
    if (name === "") {
      const symbol = source[this.#at + 1] ?? "";
      this.#at += 2;
      if (symbol === "\\") {
        if (this.#cells === undefined) return " ";
        this.#optional();
        return "\ue002";
      }
      if (Object.hasOwn(ACCENTS, symbol)) return this.#accent(symbol, depth);
      return /[,;:! /]/.test(symbol) ? " " : /[%&_#${}]/.test(symbol) ? symbol : symbol === "\n" ? " " : "";
    }
    this.#at += name.length + 1;
    while (source[this.#at] === " ") this.#at++;
    if (name.length === 1 && Object.hasOwn(ACCENTS, name)) return this.#accent(name, depth);
    if (Object.hasOwn(SYMBOLS, name)) {
      if (source.startsWith("{}", this.#at)) this.#at += 2;
      return SYMBOLS[name]!;
    }
    if (name === "verb" || name === "lstinline") {
      const mark = source[this.#at] ?? "";
      const end = source.indexOf(mark === "{" ? "}" : mark, this.#at + 1);
      if (mark === "" || end < 0) return "";
      const code = source.slice(this.#at + 1, end);
      this.#at = end + 1;
      return code;
    }
    if (name === "footnote") {
      this.#optional();
      const note = oneLine(this.#argument(depth + 1));
      if (note !== "") this.#notes.push(note);
      return "";
    }
    if (name === "def") {
      // What it defines, with its parameters, up to its group.
      const group = source.indexOf("{", this.#at);
      if (group >= 0 && group - this.#at < 200) {
        this.#at = group;
        this.#group(depth);
      }
      return "";
    }
    if (DROPPED.has(name.replace("*", ""))) {
      this.#skipArguments(depth + 1);
      return "";
    }
    while (source[this.#at] === "[") this.#optional();
    if (!LAST_ARGUMENT.has(name)) return "";
    let text = "";
    for (let i = 0; i < 4 && source[this.#at] === "{"; i++) text = this.#argument(depth + 1);
    return text;
  }

  #accent(mark: string, depth: number): string {
    const base =
      this.#source[this.#at] === "{"
        ? this.#argument(depth + 1)
        : this.#at < this.#source.length
          ? this.#piece(depth + 1)
          : "";
    const [first = "", ...rest] = [...(base === "ı" ? "i" : base)];
    return first === "" ? "" : (first + ACCENTS[mark]!).normalize("NFC") + rest.join("");
  }

  /** A group in braces, or one piece. */
  #argument(depth = 0): string {
    const source = this.#source;
    while (this.#at < source.length && /[ \t\n]/.test(source[this.#at]!)) this.#at++;
    if (source[this.#at] === "[") this.#optional();
    return this.#at < source.length ? this.#piece(depth) : "";
  }

  #group(depth: number): string {
    const source = this.#source;
    this.#at++;
    let text = "";
    while (this.#at < source.length && source[this.#at] !== "}") text += this.#piece(depth + 1);
    this.#at++;
    return text;
  }

  /** An optional argument in brackets on one line; "" if there is none. */
  #optional(): string {
    const match = /\[([^\][\n]{0,500})\]/y;
    match.lastIndex = this.#at;
    const found = match.exec(this.#source);
    if (found === null) {
      // An open bracket without its end is text.
      if (this.#source[this.#at] === "[") this.#at++;
      return "";
    }
    this.#at += found[0].length;
    return found[1]!;
  }
}
