/**
 * Plain text: the file's own text, without terminal codes, page breaks, running heads and tables of contents; calendars
 * and contacts.
 */

import { countNewlines } from "../../../../src/text/newlines.js";
import type { Document } from "../../../../src/types.js";
import { decodeText, wellFormed } from "../decode.js";
import type { ReadContext } from "../input.js";
import { withoutTerminalCodes } from "../terminal-codes.js";
import { isCalendar, writeCalendar } from "./mail/calendar.js";
import { type OmittedLines, plainStructure } from "./plain-structure.js";
import { TextBuilder } from "./text-builder.js";

/**
 * Title: a first line that looks like one, the subject of a letter, or the title of an RFC; else the file's name.
 * Headings: numbered and underlined lines.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the text limit
 */
export function readTxt(bytes: Uint8Array, context: ReadContext): Document[] {
  const { text: decoded, encoding, bomBytes, exact } = decodeText(bytes);
  const text = lineFeeds(withoutTerminalCodes(exact ? decoded : wellFormed(decoded)));
  const hasBytes = encoding === "utf-8" && exact && text.length === decoded.length;
  const builder = new TextBuilder(context.limits);
  const documentOf = (title: string): Document[] => [
    { id: context.input.id, title, source: context.input.path, ...builder.content("text") },
  ];
  if (isCalendar(text)) return documentOf(writeCalendar(text, builder, { limits: context.limits }) || context.name);
  const { title, headings, omitted } = plainStructure(text);
  let line = 1;
  let byte = bomBytes;
  let counted = 0;
  let next = 0;
  for (const { start, end, joins } of keptRanges(text, omitted)) {
    const skipped = text.slice(counted, start);
    line += countNewlines(skipped);
    if (start > 0) byte += Buffer.byteLength(skipped);
    counted = start;
    builder.separate(joins ? "\n" : "\n\n");
    builder.write(text.slice(start, end), {
      line,
      linear: true,
      ...(hasBytes ? { byte } : {}),
    });
    const shift = builder.length - end;
    for (; next < headings.length && headings[next]!.start < end; next++) {
      const heading = headings[next]!;
      builder.addHeading({ ...heading, start: heading.start + shift, end: heading.end + shift });
    }
  }
  return documentOf(title || context.name);
}

/** Lines of a text that ends them as old Macs did, with carriage returns alone, end in line feeds: they are counted. */
function lineFeeds(text: string): string {
  return text.includes("\r") && !text.includes("\n") ? text.replaceAll("\r", "\n") : text;
}

/** What remains of a text; where something is left out, white space next to it goes with it. */
function* keptRanges(text: string, omitted: readonly OmittedLines[]): Generator<OmittedLines> {
  let start = 0;
  let joins = false;
  for (const range of [...omitted, { start: text.length, end: text.length, joins: false }]) {
    let end = range.start;
    if (range.end > range.start) while (end > start && /\s/.test(text[end - 1]!)) end--;
    if (text.slice(start, end).trim() !== "" || omitted.length === 0) yield { start, end, joins };
    ({ end: start, joins } = range);
  }
}
