/** Content lines of calendars and contacts, unfolded and decoded (RFC 5545 3.1, RFC 6350 3.2). */

import { isEncoding } from "../../older-encodings.js";

export interface ContentLine {
  /** In capitals, without the name of a group: "TEL". */
  name: string;
  /** By name in capitals; those without a name are in TYPE, as vCard 2.1 has them. */
  parameters: ReadonlyMap<string, readonly string[]>;
  /** As it is written, with escapes. */
  value: string;
  /** The first of its lines in the file, from 1. */
  line: number;
}

/** Every line that has a name and a value. Values in base64, such as photos, are left out. O(text) */
export function* contentLines(text: string): Generator<ContentLine> {
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
    yield* parsed(open, openLine);
    open = written;
    openLine = line;
  }
  yield* parsed(open, openLine);
}

/** A value, or a part of one, without escapes. */
export function unescaped(value: string): string {
  return value.replace(/\\([nN,;:\\])/g, (_, unit: string) => (unit === "n" || unit === "N" ? "\n" : unit));
}

/** The parts of a structured value, such as an address, without escapes. */
export function partsOf(value: string): string[] {
  return value.split(/(?<!\\);/).map((part) => unescaped(part).trim());
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    yield text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
  }
}

function* parsed(content: string, line: number): Generator<ContentLine> {
  const colon = endOfName(content);
  if (colon < 1) return;
  const [head = "", ...rest] = content.slice(0, colon).split(";");
  const parameters = new Map<string, string[]>();
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    const name = equals < 0 ? "TYPE" : parameter.slice(0, equals).toUpperCase();
    const values = parameter
      .slice(equals + 1)
      .replaceAll('"', "")
      .split(",");
    parameters.set(name, [...(parameters.get(name) ?? []), ...values]);
  }
  const encoding = parameters.get("ENCODING")?.[0]?.toLowerCase();
  const value = content.slice(colon + 1);
  if (encoding === "b" || encoding === "base64" || /^data:[^,]*;base64,/i.test(value.slice(0, 200))) return;
  const decoded =
    encoding === "quoted-printable" ? decodeQuotedPrintable(value, parameters.get("CHARSET")?.[0]) : value;
  yield { name: head.slice(head.lastIndexOf(".") + 1).toUpperCase(), parameters, value: decoded, line };
}

/** Where the value begins is a colon outside of quotation marks. @returns its place, or −1 */
function endOfName(content: string): number {
  let isQuoted = false;
  for (let at = 0; at < Math.min(content.length, 2000); at++) {
    if (content[at] === '"') isQuoted = !isQuoted;
    else if (content[at] === ":" && !isQuoted) return at;
  }
  return content.indexOf(":");
}

/** vCard 2.1 has values in quoted-printable, whose lines continue after "=" (RFC 2045 6.7). */
function isQuotedPrintable(content: string): boolean {
  return /^[^:]*;ENCODING=QUOTED-PRINTABLE[;:]/i.test(content.slice(0, 300));
}

function decodeQuotedPrintable(value: string, charset = "utf-8"): string {
  const decoder = new TextDecoder(isEncoding(charset) ? charset : "utf-8");
  return value.replace(/(?:=[0-9a-f]{2})+/gi, (codes) => decoder.decode(Buffer.from(codes.replaceAll("=", ""), "hex")));
}
