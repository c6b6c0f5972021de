/** LaTeX: sections, paragraphs, lists, tables, footnotes and code, without the commands. Nothing is included or run. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { type MarkupWriter, readMarkup } from "./markup-writer.js";
import { SECTIONS, STATEMENT, VERBATIM } from "./tex-commands.js";
import { withoutFalseBranches } from "./tex-conditionals.js";
import { TexLists } from "./tex-lists.js";
import { CELL_MARK, ROW_MARK, TexScanner } from "./tex-scanner.js";

/** Title: `\title`, else the first heading, else the file's name. Places are lines. */
export function readTex(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, {
    kind: "tex",
    write: (source, writer) =>
      new TexReader(new TexScanner(withoutFalseBranches(source), context.limits), writer).read(),
  });
}

/** Environments that are drawings or lists of references by number. */
const DRAWN = /^(?:tikzpicture|pspicture|picture|axis|CCSXML)$/;
/** Slides and blocks of beamer, whose argument is a title. */
const SLIDE = /^(?:frame|block|alertblock|exampleblock)\*?$/;
const NEW_STATEMENT = /\\(?:newtheorem|declaretheorem)\*?\{(\w{1,40})\}/g;
const TABLE = /^(?:tabular[xy*]?|longtable|tabulary|array|supertabular)\*?$/;

/** The structure of a document, written to `writer`. */
class TexReader {
  readonly #scanner: TexScanner;
  readonly #writer: MarkupWriter;
  readonly #lists = new TexLists();
  /** Text that was read but not written yet, and the line where it begins. */
  #text = "";
  #number = 1;
  /** Cells of the row of the table that is open. */
  #cells: string[] | undefined;
  /** Environments that the document defines for statements such as theorems. */
  #statements: ReadonlySet<string> = new Set();
  /** Tables inside a cell that are open: their rows are lines of the cell. */
  #tablesInCell = 0;

  constructor(scanner: TexScanner, writer: MarkupWriter) {
    this.#scanner = scanner;
    this.#writer = writer;
  }

  read(): void {
    const scanner = this.#scanner;
    const { source } = scanner;
    const body = source.indexOf("\\begin{document}");
    scanner.macros.readPreamble(source, Math.max(0, body));
    this.#statements = new Set(Array.from(source.matchAll(NEW_STATEMENT), ([, name]) => name!));
    for (const name of ["title", "author"] as const) {
      const at = source.search(new RegExp(`\\\\${name}\\s*[[{]`));
      if (at < 0) continue;
      scanner.at = at + name.length + 1;
      const text = oneLine(scanner.argument());
      if (name === "title") this.#writer.title = text;
      else if (text !== "") this.#writer.fields.author = text.slice(0, 500);
    }
    scanner.at = Math.max(0, body);
    const end = source.indexOf("\\end{document}", scanner.at);
    this.#paragraphs(end < 0 ? source.length : end);
    if (this.#cells !== undefined) this.#endTable();
    this.#blank();
  }

  /** Reads up to `end`, line by line, so that each line has its place. */
  #paragraphs(end: number): void {
    const scanner = this.#scanner;
    const { source } = scanner;
    this.#number = scanner.line;
    while (scanner.at < end) {
      const unit = source[scanner.at]!;
      if (unit === "\n") {
        this.#flush();
        const rest = /\n[ \t]*\r?\n\s*/y;
        rest.lastIndex = scanner.at;
        const blank = rest.exec(source);
        if (blank !== null) this.#blank();
        scanner.at += blank === null ? 1 : blank[0].length;
        this.#number = scanner.line;
      } else if (unit === "\\") this.#command();
      else if (unit === "{" && this.#cells === undefined) {
        // What is inside is read in place: it may hold lists and tables.
        scanner.at++;
      } else this.#text += scanner.piece();
    }
    this.#flush();
  }

  /** Writes the text that was read since the last line that was written. */
  #flush(): void {
    const shown = oneLine(this.#text);
    this.#text = "";
    if (shown !== "") this.#put(shown, this.#number);
  }

  #command(): void {
    const scanner = this.#scanner;
    const { source } = scanner;
    const environment = /\\(begin|end)\s*\{([^{}\n]{1,40})\}/y;
    environment.lastIndex = scanner.at;
    const match = environment.exec(source);
    const command = match === null ? scanner.peekCommand() : "";
    if (match !== null) {
      this.#flush();
      this.#environment(match[1] as "begin" | "end", match[2]!, match[0].length);
      this.#number = scanner.line;
    } else if (levelOf(command) > 0) {
      this.#flush();
      scanner.at += command.length + 1;
      scanner.optional();
      this.#heading(levelOf(command));
      this.#number = scanner.line;
    } else if (command === "hypertarget") {
      scanner.at += command.length + 1;
      scanner.argument();
      // Its second argument is read in place: it may hold a heading.
      if (source[scanner.at] === "{") scanner.at++;
    } else if (command === "item") {
      this.#flush();
      this.#item();
    } else if (command === "bibitem") {
      this.#flush();
      this.#blank();
      scanner.at += command.length + 1;
      scanner.skipEntryKey();
      this.#number = scanner.line;
    } else if (source.startsWith("\\\\", scanner.at) && this.#cells === undefined) {
      this.#flush();
      scanner.at += 2;
      scanner.optional();
    } else this.#text += scanner.piece();
  }

  /** Begins an item with its label, or with the next mark of its list. */
  #item(): void {
    const scanner = this.#scanner;
    scanner.at += "\\item".length;
    this.#number = scanner.line;
    const hasLabel = /\s*\[/y;
    hasLabel.lastIndex = scanner.at;
    const isLabelled = hasLabel.test(scanner.source);
    const label = scanner.optional();
    if (label !== "") this.#text = `${label} `;
    else if (!isLabelled && this.#lists.isMarked) this.#writer.builder.beginItem(this.#lists.nextMark());
    else this.#writer.builder.endItem();
  }

  /** Text of a paragraph, or cells of a table. */
  #put(text: string, number: number): void {
    if (this.#cells === undefined) {
      this.#writer.line(text, number);
      return;
    }
    for (const [r, row] of text.split(ROW_MARK).entries()) {
      if (r > 0) this.#endRow(number);
      for (const [c, cell] of row.split(CELL_MARK).entries()) {
        if (c > 0) this.#cells.push("");
        this.#cells[this.#cells.length - 1] += ` ${cell.trim()}`;
      }
    }
  }

  #endRow(number: number): void {
    const cells = this.#cells;
    if (cells === undefined) return;
    this.#writer.row(cells, number);
    this.#cells = [""];
  }

  #endTable(): void {
    this.#endRow(this.#scanner.line);
    this.#cells = undefined;
    this.#scanner.inTable = false;
    this.#writer.blank();
  }

  #blank(): void {
    if (this.#cells !== undefined) return;
    this.#writer.blank();
    for (const note of this.#scanner.notes.splice(0)) {
      this.#writer.line(note, this.#scanner.line);
      this.#writer.blank();
    }
  }

  #environment(kind: "begin" | "end", name: string, length: number): void {
    const writer = this.#writer;
    const scanner = this.#scanner;
    const { source } = scanner;
    scanner.at += length;
    if (kind === "begin" && (VERBATIM.test(name) || DRAWN.test(name))) {
      const close = source.indexOf(`\\end{${name}}`, scanner.at);
      const end = close < 0 ? source.length : close;
      this.#blank();
      if (name !== "comment" && !DRAWN.test(name)) {
        const first = scanner.line;
        for (const [i, line] of source.slice(scanner.at, end).split("\n").entries())
          if (i > 0 && line.trim() !== "")
            writer.code(line.replace(/\\[A-Z]\w{0,30}Tok\{([^{}]*)\}/g, "$1"), first + i);
      }
      scanner.at = Math.min(source.length, end + `\\end{${name}}`.length);
      writer.blank();
    } else if (TABLE.test(name)) {
      if (this.#cells !== undefined && (kind === "begin" || this.#tablesInCell > 0)) {
        if (kind === "begin") scanner.skipArguments();
        this.#tablesInCell += kind === "begin" ? 1 : -1;
        scanner.inTable = this.#tablesInCell === 0;
      } else if (kind === "begin") {
        scanner.skipArguments();
        writer.blank();
        this.#cells = [""];
        scanner.inTable = true;
      } else this.#endTable();
    } else if (kind === "begin" && SLIDE.test(name)) this.#beginSlide(name);
    else if (kind === "begin" && (STATEMENT.test(name) || this.#statements.has(name))) {
      this.#blank();
      const title = scanner.optionalText();
      if (title !== "") this.#text = `${title}${/[.!?]$/.test(title) ? "" : "."} `;
    } else {
      const from = scanner.at;
      if (kind === "begin") scanner.skipSettings();
      if (kind === "begin") this.#lists.open(name, source.slice(from, scanner.at));
      else if (this.#lists.close(name)) writer.builder.endItem();
      if (!/^(?:center|flushleft|flushright|minipage|small)$/.test(name)) this.#blank();
    }
  }

  /** A heading whose text is the next argument. */
  #heading(level: number): void {
    const scanner = this.#scanner;
    const number = scanner.line;
    const text = oneLine(scanner.argument());
    this.#blank();
    if (text !== "") this.#writer.heading(text, level, number);
  }

  /** The options of a slide or of a block on it, and its title. */
  #beginSlide(name: string): void {
    const scanner = this.#scanner;
    const options = /(?:\s*(?:<[^<>\n]{0,50}>|\[[^\][\n]{0,200}\]))*/y;
    options.lastIndex = scanner.at;
    this.#blank();
    options.test(scanner.source);
    scanner.at = options.lastIndex;
    if (scanner.source[scanner.at] !== "{") return;
    this.#heading(name === "frame" ? FRAME_LEVEL : FRAME_LEVEL + 1);
  }
}

/** Slides are below subsections. */
const FRAME_LEVEL = SECTIONS.indexOf("subsubsection") + 1;

/** Level of a command for a heading, outermost 1; 0 for other commands. */
function levelOf(command: string): number {
  return command === "frametitle" ? FRAME_LEVEL : SECTIONS.indexOf(command.replace("*", "")) + 1;
}
