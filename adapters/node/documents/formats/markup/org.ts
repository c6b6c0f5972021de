/** Org: headings, paragraphs, lists, tables and code, without the marks of inline markup. Code is never run. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET, checkBox } from "../list-marks.js";
import { linesOf } from "../text-lines.js";
import { completeLine } from "./broken-markup.js";
import { MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";

/** Title: `#+TITLE:`, else the first heading, else the file's name. Places are lines. */
export function readOrg(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, { kind: "org", write: writeOrg });
}

const HEADING = /^(\*+)\s(.*)$/;
const STATE = /^(?:TODO|DONE|NEXT|WAIT|WAITING|CANCELLED|CANCELED|HOLD)\s+/;
const KEYWORD = /^\s*#\+(\w+):(.*)$/;
const BEGIN = /^\s*#\+begin_(\w+)/i;
const LINK = /\[\[[^[\]]+\](?:\[[^[\]]+\])?\]/g;
const CODE_MARK = /~[^~\s](?:[^~]*[^~\s])?~|=[^=\s](?:[^=]*[^=\s])?=/g;
const CODE = new Set(["src", "example", "export", "ascii"]);

function writeOrg(source: string, writer: MarkupWriter): void {
  const lines = linesOf(source);
  const reading = new OrgReading(lines, writer);
  for (const i of lines.keys()) reading.line(i);
  reading.end();
}

class OrgReading {
  readonly #lines: string[];
  readonly #writer: MarkupWriter;
  /** Name of the block of code that is open. */
  #code = "";
  #inDrawer = false;
  #inTable = false;

  constructor(lines: string[], writer: MarkupWriter) {
    this.#lines = lines;
    this.#writer = writer;
  }

  /** Reads the line with this index. */
  line(i: number): void {
    const line = this.#lines[i]!.trimEnd();
    if (this.#code !== "") this.#inCode(line, i + 1);
    else this.#notInCode(line, i);
  }

  #notInCode(line: string, i: number): void {
    const isRow = /^\s*\|/.test(line);
    if (this.#inTable && !isRow) this.end();
    if (/^\s*:END:\s*$/i.test(line)) this.#inDrawer = false;
    // A drawer ends at its heading's end, too: one that was never closed hides no other text.
    else if (!this.#inDrawer || HEADING.test(line)) {
      this.#inDrawer = /^\s*:[\w-]+:\s*$/.test(line);
      if (!this.#inDrawer && isRow) this.#row(line, i + 1);
      else if (!this.#inDrawer) this.#outside(line, i);
    }
  }

  /** Ends the table that is open. */
  end(): void {
    if (this.#inTable) this.#writer.blank();
    this.#inTable = false;
  }

  #inCode(line: string, number: number): void {
    if (line.trim().toLowerCase() === `#+end_${this.#code}`) {
      this.#code = "";
      this.#writer.blank();
    } else if (line !== "" && this.#code !== "export") this.#writer.code(line.replace(/^,(?=[*#])/, ""), number);
  }

  #row(line: string, number: number): void {
    if (!this.#inTable) this.#writer.blank();
    this.#inTable = true;
    if (/^\s*\|[-+]+\|?\s*$/.test(line)) return;
    const cells = line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|");
    this.#writer.row(cells.map(inline), number);
  }

  #outside(line: string, i: number): void {
    const writer = this.#writer;
    const begin = BEGIN.exec(line)?.[1]?.toLowerCase();
    const [, keyword, value = ""] = KEYWORD.exec(line) ?? [];
    const [, stars = "", heading] = HEADING.exec(line) ?? [];
    if (line === "") writer.blank();
    else if (begin !== undefined) {
      writer.blank();
      if (CODE.has(begin)) this.#code = begin;
    } else if (/^\s*#\+end_/i.test(line)) writer.blank();
    else if (keyword !== undefined) this.#keyword(keyword.toLowerCase(), value.trim(), i + 1);
    else if (/^\s*#(?:\s|$|\+)/.test(line)) return;
    else if (heading !== undefined) writer.heading(inline(titleOf(heading)), stars.length, i + 1);
    else if (/^\s*: /.test(line)) writer.code(line.replace(/^(\s*): /, "$1"), i + 1);
    else if (/^\s*-{5,}$/.test(line)) writer.blank();
    else this.#text(i);
  }

  #keyword(name: string, value: string, number: number): void {
    if (name === "title") this.#writer.title = `${this.#writer.title} ${inline(value)}`.trim();
    else if (name === "author") this.#writer.fields.author = value;
    else if (name === "caption") this.#writer.line(inline(value), number);
  }

  /** A line of a paragraph, or of an item. */
  #text(i: number): void {
    const isJoined = completeLine(this.#lines, i, openMark) === 2;
    if (isJoined) this.#lines[i + 1] = "#"; // a comment: a blank line would end the paragraph
    const [mark = "", text] = itemOf(this.#lines[i]!);
    this.#writer.item(mark, inline(text.replace(/\s::(?=\s|$)/, ":")), i + 1);
  }
}

/** The mark of a list item, undefined for another line, and the rest of the line. */
function itemOf(line: string): [mark: string | undefined, text: string] {
  const [whole = "", sign, number, box] = /^\s*(?:([-+]|\s\*)|(\d+[.)]))\s+(?:\[([ X-])\]\s+)?/.exec(line) ?? [];
  if (sign === undefined && number === undefined) return [undefined, line];
  return [box === undefined ? (number ?? BULLET) : checkBox(box === "X"), line.slice(whole.length)];
}

/** The text of a heading without its state, priority and tags. */
function titleOf(heading: string): string {
  const text = heading
    .trim()
    .replace(STATE, "")
    .replace(/^\[#\w\]\s+/, "");
  const space = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t"));
  return space > 0 && /^:[\w@#%:]+:$/.test(text.slice(space + 1)) ? text.slice(0, space).trimEnd() : text;
}

/** A link, or a piece of code, that is not closed. */
function openMark(line: string): RegExp | undefined {
  const rest = line.replace(LINK, "");
  if (/\[\[[^[\]]+(?:\]\[[^[\]]*)?$/.test(rest)) return /\]\]/;
  const marked = rest.replace(CODE_MARK, "");
  const at = Math.max(marked.lastIndexOf("~"), marked.lastIndexOf("="));
  if (at < 0 || !/[\s({"'—-]/.test(marked[at - 1] ?? " ") || /\s/.test(marked[at + 1] ?? " ")) return undefined;
  return marked[at] === "~" ? /~(?=$|[\s)}"'.,:;!?—-])/ : /=(?=$|[\s)}"'.,:;!?—-])/;
}

function inline(text: string): string {
  if (text.length > MAX_MARKED_UNITS) return text;
  return text
    .replace(/\[\[([^[\]]+)\]\[([^[\]]+)\]\]/g, "$2")
    .replace(/\[\[([^[\]]+)\]\]/g, "$1")
    .replace(/\[fn:([^[\]]*)\]/g, (_, body: string) => {
      const note = body.includes(":") ? body.slice(body.indexOf(":") + 1) : "";
      return note === "" ? "" : ` (${note})`;
    })
    .replace(/(^|[\s({"'—-])([*/_=~+])(?=\S)((?:(?!\2).|(?<=\w)\2(?=\w))+)(?<=\S)\2(?=$|[\s)}"'.,:;!?—-])/g, "$1$3");
}
