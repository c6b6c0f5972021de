/** Word documents: paragraphs, headings, lists, tables and notes, by way of mammoth's HTML. */

import { type Zippable, zipSync } from "fflate";
import mammoth from "mammoth";
import { parseFragment } from "parse5";
import { VerbatimError } from "../../../../src/errors.js";
import type { Document } from "../../../../src/types.js";
import type { ReadContext } from "../input.js";
import { formatBytes, unreadable } from "../skip.js";
import { writeHtmlText } from "./html-text.js";
import { metadataOf } from "./records.js";
import { TextBuilder } from "./text-builder.js";
import { readXmlElements } from "./xml.js";
import { assertNoZipBomb, listZip, readZipEntry } from "./zip.js";

/** Start of an OLE container: what Word writes around a document with a password. */
const OLE_MAGIC = [0xd0, 0xcf, 0x11, 0xe0];

/**
 * Title: that of the document's properties, else the first heading of level 1, else the file's name.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readDocx(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  if (OLE_MAGIC.every((byte, at) => bytes[at] === byte)) {
    const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
      Buffer.from("EncryptedPackage", "utf16le"),
    );
    if (isEncrypted) throw unreadable("is password-protected", "Save it without a password.");
    throw unreadable("is not a .docx file (it holds an old .doc)", "Save it as .docx.");
  }
  const parts = readXmlParts(bytes, context);
  if (parts["word/document.xml"] === undefined) throw unreadable("is damaged (it has no text part)", "Save it again.");
  const html = await toHtml(parts);
  const builder = new TextBuilder(context.limits);
  const { heading } = writeHtmlText(parseFragment(html), builder, { mark: (_line, path) => ({ path }) });
  const text = builder.text();
  const properties = propertiesOf(parts["docProps/core.xml"]);
  return [
    {
      id: context.input.id,
      title: properties.title || (heading && text.slice(heading.start, heading.end).trim()) || context.name,
      text,
      source: context.input.path,
      map: { kind: "docx", segments: builder.segments },
      metadata: metadataOf(Object.entries({ author: properties.author || undefined })),
    },
  ];
}

/** The XML of the archive, each part inflated within what it declares; pictures and fonts are left out. */
function readXmlParts(bytes: Uint8Array, context: ReadContext): Record<string, Uint8Array> {
  const entries = listZip(bytes);
  assertNoZipBomb(entries, bytes.length, context.limits);
  const wanted = entries.filter((entry) => /\.(xml|rels)$/i.test(entry.name));
  const total = wanted.reduce((sum, entry) => sum + entry.bytes, 0);
  if (total > context.limits.maxMarkupBytes) {
    throw unreadable(
      `holds more than ${formatBytes(context.limits.maxMarkupBytes)} of XML`,
      "Split it, or raise the limit.",
    );
  }
  return Object.fromEntries(wanted.map((entry) => [entry.name, readZipEntry(bytes, entry)]));
}

/** mammoth unpacks without a bound of its own, so it is given the checked parts, stored. */
async function toHtml(parts: Zippable): Promise<string> {
  const archive = zipSync(parts, { level: 0 });
  try {
    const result = await mammoth.convertToHtml(
      { buffer: Buffer.from(archive.buffer, archive.byteOffset, archive.length) },
      { convertImage: mammoth.images.imgElement(async () => ({ src: "" })), externalFileAccess: false },
    );
    return result.value;
  } catch (error) {
    if (error instanceof VerbatimError || error instanceof RangeError) throw error;
    throw unreadable(
      "is damaged (its text cannot be read)",
      "Open it in Word or LibreOffice and save it again.",
      error,
    );
  }
}

function propertiesOf(core: Uint8Array | undefined): { title: string; author: string } {
  if (core === undefined) return { title: "", author: "" };
  try {
    const elements = readXmlElements(core);
    const textOf = (name: string) => elements.find((element) => element.name === name)?.text.trim() ?? "";
    return { title: textOf("title"), author: textOf("creator") };
  } catch {
    return { title: "", author: "" };
  }
}
