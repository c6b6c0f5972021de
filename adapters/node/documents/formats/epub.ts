/** EPUB 2 and 3: the chapters in reading order, each parsed as HTML. */

import { posix } from "node:path";
import { VerbatimError } from "../../../../src/errors.js";
import type { Document } from "../../../../src/types.js";
import { decodeText } from "../decode.js";
import type { ReadContext } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { formatBytes, unreadable } from "../skip.js";
import { parseHtml } from "./html/html.js";
import { writeHtmlText } from "./html/html-text.js";
import { metadataOf, RecordSkips } from "./records.js";
import { TextBuilder } from "./text-builder.js";
import { elementText, readXmlElements, type XmlElement } from "./xml.js";
import { assertNoZipBomb, listZip, readZipEntry, type ZipEntry } from "./zip.js";

/**
 * One document per book; its places are chapter files. A chapter that is missing or broken is reported and skipped.
 * @throws VerbatimError `unreadable-document` when damaged, protected, a zip bomb, or too large
 */
export function readEpub(bytes: Uint8Array, context: ReadContext): Document[] {
  const entries = listZip(bytes);
  assertNoZipBomb(entries, bytes.length, context.limits);
  const { limits } = context;
  const book: Book = { bytes, limits, entries: new Map(entries.map((entry) => [entry.name, entry])) };
  const packagePath = findPackage(book);
  const elements = readXmlPart(book, packagePath);
  const folder = posix.dirname(packagePath);
  const chapters = chaptersOf(elements).map((href) => ({ href, path: posix.join(folder, href) }));
  if (chapters.length === 0) throw unreadable("is damaged (it names no chapters)", "Fetch it again.");
  assertReadable(book, chapters, context);
  const builder = new TextBuilder(context.limits);
  const skips = new RecordSkips(context.skipRecord);
  for (const { href, path } of chapters) {
    builder.separate("\n\n");
    try {
      const html = decodeText(readPart(book, path)).text;
      writeHtmlText(parseHtml(html, limits), builder, { withoutNavigation: true, mark: () => ({ path: href }) });
    } catch (error) {
      if (!(error instanceof VerbatimError) || chapters.length === 1) throw error;
      skips.report({ reason: `chapter ${href} ${error.message}`, code: "unreadable-document", hint: error.hint });
    }
    builder.separate("\n\n");
    context.onPart();
  }
  skips.finish();
  const textOf = (name: string) => elementText(elements, name) || undefined;
  return [
    {
      id: context.input.id,
      title: textOf("title") ?? context.name,
      source: context.input.path,
      ...builder.content("epub"),
      metadata: metadataOf(Object.entries({ author: textOf("creator"), language: textOf("language") })),
    },
  ];
}

interface Book {
  bytes: Uint8Array;
  limits: ReadLimits;
  entries: Map<string, ZipEntry>;
}

function readPart(book: Book, path: string): Uint8Array {
  const entry = book.entries.get(path);
  if (entry === undefined) throw unreadable("is missing in the book", "Fetch it again.");
  return readZipEntry(book.bytes, entry);
}

function readXmlPart(book: Book, path: string): XmlElement[] {
  const { bytes = 0 } = book.entries.get(path) ?? {};
  const { maxMarkupBytes } = book.limits;
  if (bytes > maxMarkupBytes)
    throw unreadable(`has a part larger than ${formatBytes(maxMarkupBytes)}`, "Fetch it again.");
  const part = readPart(book, path);
  try {
    return readXmlElements(part, book.limits);
  } catch (error) {
    throw unreadable(`is damaged (${path} cannot be read)`, "Fetch it again.", error);
  }
}

/** META-INF/container.xml names the package file (EPUB Open Container Format 3.3, section 4.2.6.3.1). */
function findPackage(book: Book): string {
  if (!book.entries.has("META-INF/container.xml")) {
    throw unreadable("is not an EPUB book (it has no META-INF/container.xml)", "Fetch it again.");
  }
  const roots = readXmlPart(book, "META-INF/container.xml").filter((element) => element.name === "rootfile");
  const path = roots
    .map((root) => root.attributes["full-path"])
    .find((name) => name !== undefined && book.entries.has(name));
  if (path === undefined) throw unreadable("is damaged (its package file is missing)", "Fetch it again.");
  return path;
}

/** The files of the spine in order, relative to the package file. */
function chaptersOf(elements: XmlElement[]): string[] {
  const items = new Map<string, string>();
  for (const { name, attributes } of elements) {
    const { id, href } = attributes;
    const type = attributes["media-type"] ?? "";
    if (name === "item" && id !== undefined && href !== undefined && /html/.test(type)) items.set(id, decodeHref(href));
  }
  const chapters = elements
    .filter((element) => element.name === "itemref")
    .map((element) => items.get(element.attributes.idref ?? ""))
    .filter((href) => href !== undefined);
  return [...new Set(chapters)];
}

function decodeHref(href: string): string {
  const path = href.split("#", 1)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Refuses books whose chapters are encrypted (fonts alone may be) and books beyond the limit. */
function assertReadable(book: Book, chapters: { path: string }[], context: ReadContext): void {
  if (book.entries.has("META-INF/encryption.xml")) {
    const encrypted = new Set(readXmlPart(book, "META-INF/encryption.xml").map((element) => element.attributes.URI));
    if (chapters.some(({ path }) => encrypted.has(path))) {
      throw unreadable("is protected by DRM", "Use a copy without protection.");
    }
  }
  const total = chapters.reduce((sum, { path }) => sum + (book.entries.get(path)?.bytes ?? 0), 0);
  if (total > context.limits.maxMarkupBytes) {
    throw unreadable(
      `holds more than ${formatBytes(context.limits.maxMarkupBytes)} of text`,
      "Split it, or raise the limit.",
    );
  }
}
