/** Reads a document in parts, since a server limits how much it returns at once. */

import type { DocumentText } from "./api.js";
import type { Transport } from "./transport.js";

/**
 * Reads text[from, to) of a document, in as many requests as it takes.
 * @param range  in UTF-16 units; may reach beyond the text
 * @returns less if the document changes meanwhile
 * @throws RequestError
 */
export async function readRange(
  { readDocument }: Pick<Transport, "readDocument">,
  id: string,
  { from, to }: { from: number; to: number },
): Promise<DocumentText> {
  let read = await readDocument(id, Math.max(0, from), to);
  while (read.to < Math.min(to, read.length)) {
    const longer = joined(read, await readDocument(id, read.to, to));
    if (longer.to === read.to) break;
    read = longer;
  }
  return read;
}

/**
 * One text of two parts; the first one alone if the other is not just before or after it, or belongs
 * to another version of the document.
 */
export function joined(read: DocumentText, part: DocumentText): DocumentText {
  if (part.length !== read.length) return read;
  if (part.from === read.to) return { ...read, to: part.to, text: read.text + part.text };
  if (part.to === read.from) return { ...read, from: part.from, text: part.text + read.text };
  return read;
}
