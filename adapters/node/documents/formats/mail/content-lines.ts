/** Calendars and contacts (.ics, .vcf): their content lines, unfolded and unescaped (RFC 5545 3.1, RFC 6350 3.2). */

import { isEncoding } from "../../older-encodings.js";
import type { TextBuilder } from "../text-builder.js";

/** Whether a text is a calendar or a list of contacts. */
export function isContentLines(text: string): boolean {
  return /^\s?BEGIN:(?:VCALENDAR|VCARD)\s/i.test(text.slice(0, 30));
}

/** Writes each content line with its first line in the file. Values in base64, such as photos, are left out. */
export function writeContentLines(text: string, builder: TextBuilder): void {
  let open = "";
  let openLine = 1;
  let line = 0;
  for (const written of linesOf(text)) {
    line++;
    if (isQuotedPrintable(open) && open.endsWith("=")) {
      open = open.slice(0, -1) + written;
      continue;
    }
    if (/^[ \t]/.test(written)) {
      open += written.slice(1);
      continue;
    }
    writeLine(open, builder, openLine);
    open = written;
    openLine = line;
  }
  writeLine(open, builder, openLine);
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    yield text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
  }
}

function writeLine(content: string, builder: TextBuilder, line: number): void {
  const name = content.slice(0, Math.max(0, content.indexOf(":")));
  if (
    /;ENCODING=(?:b|base64)(?:;|$)/i.test(name) ||
    /^:data:[^,]*;base64,/i.test(content.slice(name.length, name.length + 200))
  )
    return;
  const decoded = isQuotedPrintable(content)
    ? `${name}${decodeQuotedPrintable(content.slice(name.length), name)}`
    : content;
  builder.separate("\n");
  builder.write(
    decoded.replace(/\\([nN,;\\])/g, (_, unit: string) => (unit === "n" || unit === "N" ? "\n" : unit)),
    {
      line,
    },
  );
}

/** vCard 2.1 has values in quoted-printable, whose lines continue after "=" (RFC 2045 6.7). */
function isQuotedPrintable(content: string): boolean {
  return /^[^:]*;ENCODING=QUOTED-PRINTABLE[;:]/i.test(content.slice(0, 300));
}

function decodeQuotedPrintable(value: string, name: string): string {
  const label = /;CHARSET=([\w-]+)/i.exec(name)?.[1] ?? "utf-8";
  const decoder = new TextDecoder(isEncoding(label) ? label : "utf-8");
  return value.replace(/(?:=[0-9a-f]{2})+/gi, (codes) => decoder.decode(Buffer.from(codes.replaceAll("=", ""), "hex")));
}
