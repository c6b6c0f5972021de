/** XML parts of zip archives as a stream of events, with bounded memory however large a part is. */

import { SaxesParser } from "saxes";
import type { ReadLimits } from "../../limits.js";
import { unreadable } from "../../skip.js";
import { inflateZipEntry, type ZipEntry } from "../zip.js";

/** Elements of one XML part after which the limit on the time of a part of the file starts again: some 15,000 rows. */
const ELEMENTS_PER_PART = 100_000;

/** What an XML part calls as it is read. Names are without namespace prefix. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

interface XmlSource {
  /** The whole archive. */
  bytes: Uint8Array;
  entry: ZipEntry;
  limits: ReadLimits;
  /** Maximum number of elements. Default: `limits.maxElements`. */
  maxElements?: number;
  /** Called after each stretch of a long part: a sheet of a million rows takes longer than a page or chapter may. */
  onPart(): void;
}

/**
 * Reads one part. Entities of a DTD are not expanded, and nothing outside of the archive is read.
 * @throws VerbatimError `unreadable-document` when it is not well-formed, or beyond the limits on elements and levels
 */
export async function readXmlStream(source: XmlSource, events: XmlEvents): Promise<void> {
  const { bytes, entry, limits, maxElements = limits.maxElements, onPart } = source;
  const parser = new SaxesParser();
  let elements = 0;
  let depth = 0;
  parser.on("error", (error) => {
    throw unreadable(`is damaged (${entry.name} cannot be read)`, "Save it again.", error);
  });
  parser.on("opentag", (tag) => {
    if (++elements > maxElements) {
      throw unreadable(
        `has more than ${maxElements.toLocaleString("en")} elements`,
        "Split it, or save it as plain text.",
      );
    }
    if (elements % ELEMENTS_PER_PART === 0) onPart();
    if (++depth > limits.maxDepth) throw unreadable("is nested too deeply", "Save it as plain text.");
    events.open?.(localName(tag.name), localAttributes(tag.attributes as Record<string, string>));
  });
  parser.on("closetag", (tag) => {
    depth--;
    events.close?.(localName(tag.name));
  });
  const onText = (text: string) => events.text?.(text);
  parser.on("text", onText);
  parser.on("cdata", onText);
  const decoder = new TextDecoder(encodingOf(bytes, entry));
  for await (const part of inflateZipEntry(bytes, entry)) parser.write(decoder.decode(part, { stream: true }));
  parser.write(decoder.decode()).close();
}

/** The XML that office programs write is UTF-8; UTF-16 has a byte order mark, which `decoder` needs to know of. */
function encodingOf(bytes: Uint8Array, entry: ZipEntry): string {
  if (entry.method !== 0) return "utf-8";
  const start = entry.offset + 30;
  return bytes[start] === 0xff && bytes[start + 1] === 0xfe ? "utf-16le" : "utf-8";
}

export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function localAttributes(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(attributes);
  if (!names.some((name) => name.includes(":"))) return attributes;
  const local: Record<string, string> = {};
  for (const name of names) {
    const short = localName(name);
    const value = attributes[name]!;
    // "r:id" and "id" differ.
    local[short in local ? name : short] = value;
    if (name !== short) local[name] = value;
  }
  return local;
}
