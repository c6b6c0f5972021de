/** Text of mails whose lines are broken anywhere (format=flowed, RFC 3676). */

import PostalMime from "postal-mime";

/** Before a signature; never continued by the next line (RFC 3676 §4.3). */
const SIGNATURE = "-- ";

/** Marks of quotation before a line. */
const QUOTED = /^(?:> ?)*/;

/**
 * Joins lines that end with a space with the next one, if that is quoted as deeply and not blank. Many programs leave a
 * space at the end of the last line of a paragraph.
 * @param deleteSpace  the space at the end belongs to the break (RFC 3676 §4.5)
 */
export function joinFlowedLines(text: string, deleteSpace: boolean): string {
  const lines: string[][] = [];
  let depth = 0;
  let continues = false;
  for (const raw of text.split(/\r?\n/)) {
    const marks = QUOTED.exec(raw)![0];
    const line = marks === "" ? raw.replace(/^ /, "") : raw.slice(marks.length);
    const level = marks.replaceAll(" ", "").length;
    const pieces = lines.at(-1);
    if (pieces !== undefined && continues && level === depth && line.trim() !== "" && line !== SIGNATURE) {
      if (deleteSpace) pieces.push(pieces.pop()!.slice(0, -1));
      pieces.push(line);
    } else lines.push([marks + line]);
    continues = line.endsWith(" ") && line !== SIGNATURE;
    depth = level;
  }
  return lines.map((pieces) => pieces.join("")).join("\n");
}

/**
 * postal-mime's own function takes quadratic time, joins answers with the quotations above them, and drops blank
 * lines.
 */
export function replaceFlowedText(): void {
  const { root } = new PostalMime() as unknown as { root: object };
  Object.assign(Object.getPrototypeOf(root), { decodeFlowedText: joinFlowedLines });
}
