/** OpenDocument texts and presentations (LibreOffice): headings, paragraphs, lists, tables, notes. */

import { VerbatimError } from "../../../../../src/errors.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { unreadable } from "../../skip.js";
import { metadataOf } from "../records.js";
import { TextBuilder } from "../text-builder.js";
import { elementText } from "../xml.js";
import { OfficeArchive } from "./archive.js";
import { withShapesBelow } from "./odf-frames.js";
import { OdfLists } from "./odf-lists.js";
import { OdfTextStyles } from "./odf-text-styles.js";
import { type OdfStyles, OdfWriter } from "./odf-writer.js";
import type { XmlEvents } from "./xml-stream.js";

export function readOdt(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  return readOdf(bytes, context, { kind: "odt" });
}

export function readOdp(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  return readOdf(bytes, context, { kind: "odp" });
}

/**
 * One document. Places of a text are its paragraphs ("paragraph 12"), those of a presentation its slides ("slide 3",
 * "slide 3, notes"); titles of slides are headings.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
async function readOdf(
  bytes: Uint8Array,
  context: ReadContext,
  { kind }: { kind: "odt" | "odp" },
): Promise<Document[]> {
  const archive = openOdf(bytes, context);
  const builder = new TextBuilder(context.limits);
  const styles: OdfStyles = { lists: new OdfLists(), texts: new OdfTextStyles() };
  await readNamedStyles(archive, styles);
  const writer = new OdfWriter(builder, styles);
  const events = kind === "odt" ? withShapesBelow(textEvents(writer)) : slideEvents(writer);
  await archive.stream("content.xml", events);
  const { title, author } = odfProperties(archive);
  return [
    {
      id: context.input.id,
      title: title || builder.firstHeading(1) || context.name,
      source: context.input.path,
      ...builder.content(kind),
      metadata: metadataOf(Object.entries({ author: author || undefined })),
    },
  ];
}

/** Reads the styles that have a name. Without them, or if they cannot be read, their lists have bullets. */
async function readNamedStyles(archive: OfficeArchive, { lists, texts }: OdfStyles): Promise<void> {
  if (!archive.has("styles.xml")) return;
  try {
    await archive.stream("styles.xml", {
      open: (name, attributes) => {
        lists.readStyle(name, attributes);
        texts.readStyle(name, attributes);
      },
    });
  } catch (error) {
    if (!(error instanceof VerbatimError && error.code === "unreadable-document")) throw error;
  }
}

/** @throws VerbatimError `unreadable-document` when password-protected, damaged, or a zip bomb */
export function openOdf(bytes: Uint8Array, context: ReadContext): OfficeArchive {
  const archive = new OfficeArchive(bytes, context);
  const manifest = archive.elements("META-INF/manifest.xml");
  if (manifest.some(({ name }) => name === "encryption-data" || name === "encrypted-key")) {
    throw unreadable("is password-protected", "Save it without a password.");
  }
  if (!archive.has("content.xml")) throw unreadable("is damaged (it has no text part)", "Save it again.");
  return archive;
}

export function odfProperties(archive: OfficeArchive): { title: string; author: string } {
  const elements = archive.elements("meta.xml");
  const author = elementText(elements, "initial-creator") || elementText(elements, "creator");
  return { title: elementText(elements, "title"), author };
}

function textEvents(writer: OdfWriter): XmlEvents {
  let paragraphs = 0;
  return {
    open: (name, attributes) => {
      if (name === "p" || name === "h") writer.path = `paragraph ${++paragraphs}`;
      writer.readStyle(name, attributes);
      writer.open(name, attributes);
    },
    text: (text) => writer.text(text),
    close: (name) => writer.close(name),
  };
}

function slideEvents(writer: OdfWriter): XmlEvents {
  const { builder } = writer;
  let slides = 0;
  let inPage = false;
  let inTitle = false;
  return {
    open: (name, attributes) => {
      if (name === "page") {
        writer.path = `slide ${++slides}`;
        inPage = true;
        builder.separate("\n\n");
      } else if (name === "notes") writer.path = `slide ${slides}, notes`;
      else if (name === "frame" && attributes.class === "title") inTitle = true;
      writer.readStyle(name, attributes);
      if (!inPage) return;
      writer.open(name, attributes);
      if (inTitle && name === "p") builder.beginHeading(1);
    },
    text: (text) => {
      if (inPage) writer.text(text);
    },
    close: (name) => {
      if (!inPage) return;
      if (inTitle && name === "p") builder.endHeading();
      writer.close(name);
      if (name === "frame") inTitle = false;
      else if (name === "page") inPage = false;
    },
  };
}
