/** Text of mails whose lines are broken anywhere (format=flowed, RFC 3676). */

import PostalMime from "postal-mime";

/** Before a signature; never continued by the next line (RFC 3676 §4.3). */
const SIGNATURE = "-- ";

/**
 * Joins lines that end with a space with the next one.
 * @param deleteSpace  the space at the end belongs to the break (RFC 3676 §4.5)
 */
export function joinFlowedLines(text: string, deleteSpace: boolean): string {
  const lines: string[] = [];
  let pieces: string[] = [];
  let units = 0;
  for (const line of text.split(/\r?\n/)) {
    const last = pieces.at(-1) ?? "";
    const isSignature = units === SIGNATURE.length && pieces.join("") === SIGNATURE;
    if (!last.endsWith(" ") || isSignature) {
      lines.push(pieces.join(""));
      pieces = [];
      units = 0;
    } else if (deleteSpace) {
      pieces.pop();
      if (last.length > 1) pieces.push(last.slice(0, -1));
      units--;
    }
    if (line !== "") pieces.push(line);
    units += line.length;
  }
  lines.push(pieces.join(""));
  // The first entry is empty: there is no line before the first one.
  return lines.slice(1).join("\n").replace(/^ /gm, "");
}

/** postal-mime's own function takes quadratic time: it looks at the end of all lines so far for each line. */
export function replaceFlowedText(): void {
  const { root } = new PostalMime() as unknown as { root: object };
  Object.assign(Object.getPrototypeOf(root), { decodeFlowedText: joinFlowedLines });
}
