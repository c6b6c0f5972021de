/** How many parts a message has, without parsing it, and which of them hold its text. */

import type PostalMime from "postal-mime";

const LINE = Buffer.from("\n--");
/** RFC 2046 §5.1.1 allows 70 characters in a boundary. */
const MAX_BOUNDARY = 70;
const DECLARED = /boundary\s{0,5}=\s{0,5}(?:"([^"\r\n]{1,70})"|([^"\s;]{1,70}))/gi;

/** Whether more than `maxParts` lines of a message begin a part: "--" and a boundary that is declared in it. */
export function hasMoreParts(bytes: Uint8Array, maxParts: number): boolean {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (countFrom(content, maxParts, () => true) <= maxParts) return false;
  const declared = content.toString("latin1").matchAll(DECLARED);
  const boundaries = new Set(Array.from(declared, ([, quoted, bare]) => (quoted ?? bare)!));
  const isPart = (start: number) => {
    const line = content
      .toString("latin1", start, start + MAX_BOUNDARY + 4)
      .split(/[\r\n]/, 1)[0]!
      .trimEnd();
    return boundaries.has(line) || (line.endsWith("--") && boundaries.has(line.slice(0, -2)));
  };
  return countFrom(content, maxParts, isPart) > maxParts;
}

/** Lines that begin with "--" and pass; stops once they are more than `maxCount`. */
function countFrom(content: Buffer, maxCount: number, passes: (start: number) => boolean): number {
  let count = 0;
  for (let at = content.indexOf(LINE); at >= 0 && count <= maxCount; at = content.indexOf(LINE, at + LINE.length)) {
    if (passes(at + LINE.length)) count++;
  }
  return count;
}

/** A text of a message as postal-mime holds it: the parts of one `multipart/alternative`, or a single part. */
type TextParts = Partial<Record<"plain" | "html", readonly { type: string; value: unknown }[]>>;

/**
 * Whether a parsed message is written in HTML without a plain alternative. Mailing lists and mail servers add footers in
 * plain text, which are shorter than the message.
 */
export function isHtmlMail(parser: PostalMime): boolean {
  const { textMap } = parser as unknown as { textMap: ReadonlyMap<unknown, TextParts> };
  let plainUnits = 0;
  let htmlUnits = 0;
  for (const { plain, html } of textMap.values()) {
    const units = { plain: unitsOf(plain), html: unitsOf(html) };
    if (units.plain > 0 && units.html > 0) return false;
    plainUnits += units.plain;
    htmlUnits += units.html;
  }
  return htmlUnits > plainUnits;
}

/** Length without white space at the ends. */
function unitsOf(parts: TextParts["plain"] = []): number {
  return parts.reduce((sum, { value }) => sum + (typeof value === "string" ? value.trim().length : 0), 0);
}
