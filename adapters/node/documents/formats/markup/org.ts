/** Org: headings, paragraphs, lists, tables and code, without the marks of inline markup. Code is never run. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET, checkBox } from "../list-marks.js";
import { completeLine } from "./broken-markup.js";
import { linesOf, MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";

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
  /** Name of the block of code that is open. */
  let code = "";
  let inDrawer = false;
  let inTable = false;
  for (const [i, raw] of lines.entries()) {
    const number = i + 1;
    const line = raw.trimEnd();
    if (code !== "") {
      if (line.trim().toLowerCase() === `#+end_${code}`) {
        code = "";
        writer.blank();
      } else if (line !== "" && code !== "export") writer.code(line.replace(/^,(?=[*#])/, ""), number);
      continue;
    }
    const isRow = /^\s*\|/.test(line);
    if (inTable && !isRow) {
      writer.blank();
      inTable = false;
    }
    if (/^\s*:END:\s*$/i.test(line)) {
      inDrawer = false;
      continue;
    }
    // A drawer ends at its heading's end, too: one that was never closed hides no other text.
    if (inDrawer && !HEADING.test(line)) continue;
    inDrawer = /^\s*:[\w-]+:\s*$/.test(line);
    if (inDrawer) continue;
    const begin = BEGIN.exec(line)?.[1]?.toLowerCase();
    const [, keyword, after = ""] = KEYWORD.exec(line) ?? [];
    const value = after.trim();
    const heading = HEADING.exec(line);
    if (line === "") writer.blank();
    else if (begin !== undefined) {
      writer.blank();
      if (CODE.has(begin)) code = begin;
    } else if (/^\s*#\+end_/i.test(line)) writer.blank();
    else if (keyword !== undefined) {
      const name = keyword.toLowerCase();
      if (name === "title") writer.title = `${writer.title} ${inline(value)}`.trim();
      else if (name === "author") writer.fields.author = value;
      else if (name === "caption") writer.line(inline(value), number);
    } else if (/^\s*#(?:\s|$|\+)/.test(line)) continue;
    else if (heading !== null) writer.heading(inline(titleOf(heading[2]!)), heading[1]!.length, number);
    else if (isRow) {
      if (!inTable) writer.blank();
      inTable = true;
      if (/^\s*\|[-+]+\|?\s*$/.test(line)) continue;
      const cells = line
        .trim()
        .replace(/^\||\|$/g, "")
        .split("|");
      writer.row(cells.map(inline), number);
    } else if (/^\s*: /.test(line)) writer.code(line.replace(/^(\s*): /, "$1"), number);
    else if (/^\s*-{5,}$/.test(line)) writer.blank();
    else {
      if (completeLine(lines, i, openMark) === 2) lines[i + 1] = "#"; // a comment: a blank line would end the paragraph
      const [mark = "", text] = itemOf(lines[i]!);
      writer.item(mark, inline(text.replace(/\s::(?=\s|$)/, ":")), number);
    }
  }
  if (inTable) writer.blank();
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
