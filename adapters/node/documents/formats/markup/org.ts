/** Org: headings, paragraphs, lists, tables and code, without the marks. Code is never run. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { linesOf, MAX_MARKED_UNITS, type MarkupWriter, readMarkup } from "./markup-writer.js";

/** Title: `#+TITLE:`, else the first heading, else the file's name. Places are lines. */
export function readOrg(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, { kind: "org", write: writeOrg });
}

const HEADING =
  /^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAIT|WAITING|CANCELLED|CANCELED|HOLD)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w@#%:]+:)?$/;
const KEYWORD = /^\s*#\+(\w+):\s*(.*)$/;
const BEGIN = /^\s*#\+begin_(\w+)/i;
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
      writer.endTable();
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
    const [, keyword, value = ""] = KEYWORD.exec(line) ?? [];
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
    else if (heading !== null) writer.heading(inline(heading[2]!), heading[1]!.length, number);
    else if (isRow) {
      if (!inTable) writer.beginTable();
      inTable = true;
      if (/^\s*\|[-+]+\|?\s*$/.test(line)) continue;
      const cells = line
        .trim()
        .replace(/^\||\|$/g, "")
        .split("|");
      writer.row(cells.map(inline), number, /^\s*\|-/.test(lines[i + 1] ?? ""));
    } else if (/^\s*: /.test(line)) writer.code(line.replace(/^(\s*): /, "$1"), number);
    else if (/^\s*-{5,}$/.test(line)) writer.blank();
    else
      writer.line(
        inline(line.replace(/^\s*(?:[-+]|\s\*|\d+[.)])\s+(?:\[[ X-]\]\s+)?/, "").replace(/\s::\s/, ": ")),
        number,
      );
  }
  if (inTable) writer.endTable();
}

function inline(text: string): string {
  if (text.length > MAX_MARKED_UNITS) return text;
  return text
    .replace(/\[\[([^\]]+)\]\[([^\]]+)\]\]/g, "$2")
    .replace(/\[\[([^\]]+)\]\]/g, "$1")
    .replace(/\[fn:[^\]:]*:?([^\]]*)\]/g, (_, note: string) => (note === "" ? "" : ` (${note})`))
    .replace(/(^|[\s({"'—-])([*/_=~+])(\S(?:[^\n]*?\S)?)\2(?=$|[\s)}"'.,:;!?—-])/g, "$1$3");
}
