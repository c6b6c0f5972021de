/** Small XML files (package descriptions) as a flat list of their elements. */

import { SaxesParser } from "saxes";
import { decodeText } from "../decode.js";
import type { ReadLimits } from "../limits.js";
import { localName } from "./office/xml-stream.js";

export interface XmlElement {
  /** Without its namespace prefix. */
  name: string;
  attributes: Record<string, string>;
  /** Text directly inside. */
  text: string;
}

/** A package description names a few thousand files at most. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * All elements in document order. Entities of a DTD are not expanded.
 * @throws Error if it is not well-formed, larger than 16 MiB, or has more elements or levels than the limits allow
 */
export function readXmlElements(bytes: Uint8Array, limits: ReadLimits): XmlElement[] {
  if (bytes.length > MAX_BYTES) throw new Error("too large");
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    const element = { name: localName(tag.name), attributes: { ...tag.attributes }, text: "" };
    elements.push(element);
    open.push(element);
    if (elements.length > limits.maxElements || open.length > limits.maxDepth) throw new Error("too many elements");
  });
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => void open.pop());
  parser.write(decodeText(bytes).text).close();
  return elements;
}

/** The text of the first element of this name, trimmed; "" without one. */
export function elementText(elements: readonly XmlElement[], name: string): string {
  return elements.find((element) => element.name === name)?.text.trim() ?? "";
}
