/** OpenDocument texts and presentations (LibreOffice): headings, paragraphs, lists, tables, notes. */

import { VerbatimError } from "../../../../../src/errors.js";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { unreadable } from "../../skip.js";
import { metadataOf } from "../records.js";
import { superscript } from "../superscript.js";
import { type Separator, TextBuilder } from "../text-builder.js";
import { elementText } from "../xml.js";
import { OfficeArchive } from "./archive.js";
import { OdfLists } from "./odf-lists.js";
import { OdfTextStyles } from "./odf-text-styles.js";
import type { XmlEvents } from "./xml-stream.js";

/**
 * One document. Places of a text are its paragraphs ("paragraph 12"), those of a presentation its slides ("slide 3",
 * "slide 3, notes"); titles of slides are headings.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readOdf(bytes: Uint8Array, context: ReadContext, kind: "odt" | "odp"): Promise<Document[]> {
  const archive = openOdf(bytes, context);
  const builder = new TextBuilder(context.limits);
  const styles: OdfStyles = { lists: new OdfLists(), texts: new OdfTextStyles() };
  await readNamedStyles(archive, styles);
  const writer = new OdfWriter(builder, styles);
  const events = kind === "odt" ? textEvents(writer) : slideEvents(writer);
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

interface OdfStyles {
  lists: OdfLists;
  texts: OdfTextStyles;
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

/** Elements whose content is not text of the document: comments, deleted text, tables of contents, numbers and dates. */
const UNREAD = new Set([
  ...["annotation", "tracked-changes", "table-of-content", "alphabetical-index", "forms", "script", "event-listeners"],
  ...["page-number", "page-count", "ruby-text", "object", "desc", "title", "header", "footer", "date-time", "scripts"],
]);

/** In these, `title` is a field that shows the document's title; elsewhere it describes a picture. */
const TEXT_PARENTS = new Set(["p", "h", "span", "a"]);

/** Events that write paragraphs (OpenDocument 1.3 part 3, sections 5 to 9); `mark` gives their place. */
class OdfWriter {
  readonly builder: TextBuilder;
  readonly #lists: OdfLists;
  readonly #texts: OdfTextStyles;
  path = "";
  #skipped = 0;
  readonly #openElements: string[] = [];
  /** Levels of the open elements whose text is superscript. */
  readonly #raised: number[] = [];
  #cells: string[] = [];
  #cellDepth = 0;
  #row = 0;
  #inHeaderRows = false;
  /** The note that is open: it is written after its paragraph, because it would interrupt a sentence. */
  #note: string | undefined;
  #notes: string[] = [];

  constructor(builder: TextBuilder, { lists, texts }: OdfStyles) {
    this.builder = builder;
    this.#lists = lists;
    this.#texts = texts;
  }

  /** Reads the styles of lists and text, which precede the text. */
  readStyle(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#lists.readStyle(name, attributes);
    this.#texts.readStyle(name, attributes);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const isTitleField = name === "title" && TEXT_PARENTS.has(this.#openElements.at(-1) ?? "");
    this.#openElements.push(name);
    if (name === "span" && this.#texts.isRaised(attributes["style-name"])) this.#raised.push(this.#openElements.length);
    if (this.#skipped > 0 || (UNREAD.has(name) && !isTitleField)) {
      this.#skipped++;
      return;
    }
    const { builder } = this;
    if (this.#note !== undefined && name !== "note-citation") {
      if (name === "s" || name === "tab" || name === "line-break") this.#note += " ";
      return;
    }
    switch (name) {
      case "list":
        this.#lists.openList(attributes);
        break;
      case "h":
        builder.separate("\n\n");
        builder.beginHeading(Math.max(1, Math.min(10, Number(attributes["outline-level"] ?? 1) || 1)));
        builder.beginItem(this.#lists.mark() ?? "");
        break;
      case "p":
        builder.separate(this.#separator);
        this.#addToHeader(" ");
        builder.beginItem(this.#lists.mark() ?? "");
        break;
      case "list-item":
        this.#lists.openItem(attributes);
        builder.separate(this.#cellDepth > 0 ? " " : "\n");
        break;
      case "list-header":
        builder.separate(this.#cellDepth > 0 ? " " : "\n");
        break;
      case "table":
        builder.separate("\n\n");
        this.#row = 0;
        break;
      case "table-header-rows":
        this.#inHeaderRows = true;
        break;
      case "table-row":
        builder.beginRow();
        this.#cells = [];
        break;
      case "table-cell":
      case "covered-table-cell":
        builder.beginCell();
        this.#cellDepth++;
        this.#cells.push("");
        break;
      case "s":
      case "tab":
        this.text(" ");
        break;
      case "line-break":
        builder.separate(this.#cellDepth > 0 ? " " : "\n");
        this.#addToHeader(" ");
        break;
      case "note":
        this.#note = "";
        break;
      case "note-citation":
        this.#skipped = 1;
        break;
    }
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    const words = text.replace(/[ \t\r\n]+/g, " ");
    const collapsed = this.#raised.length > 0 ? superscript(words) : words;
    if (this.#note !== undefined) {
      this.#note += collapsed;
      return;
    }
    this.#addToHeader(collapsed);
    if (collapsed === " ") this.builder.separate(" ");
    else this.builder.write(collapsed, { path: this.path });
  }

  /** The first row of a table may be the names of its columns. */
  #addToHeader(text: string): void {
    if (this.#cellDepth > 0 && this.#row === 0 && this.#cells.length > 0) this.#cells[this.#cells.length - 1] += text;
  }

  close(name: string): void {
    if (this.#raised.at(-1) === this.#openElements.length) this.#raised.pop();
    this.#openElements.pop();
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const { builder } = this;
    if (this.#note !== undefined) {
      if (name === "note") {
        this.#notes.push(this.#note);
        this.#note = undefined;
      } else if (name === "p") this.#note += " ";
      return;
    }
    switch (name) {
      case "h":
        builder.endItem();
        builder.endHeading();
        builder.separate(this.#separator);
        break;
      case "p":
        builder.endItem();
        builder.separate(this.#separator);
        if (this.#cellDepth === 0) this.#writeNotes();
        break;
      case "table-cell":
      case "covered-table-cell":
        this.#cellDepth--;
        break;
      case "table-row":
        builder.endRow();
        if (this.#row++ === 0 && this.#inHeaderRows && this.#cells.length > 1) {
          builder.beginRows(this.#cells.map((cell) => oneLine(cell).slice(0, 100)).join(" | "));
        }
        break;
      case "table-header-rows":
        this.#inHeaderRows = false;
        break;
      case "table":
        builder.endRows();
        builder.separate("\n\n");
        this.#writeNotes();
        break;
      case "list-item":
        builder.separate(this.#cellDepth > 0 ? " " : "\n");
        break;
      case "list":
        this.#lists.closeList();
        if (this.#lists.depth === 0) builder.separate(this.#separator);
        break;
    }
  }

  get #separator(): Separator {
    if (this.#cellDepth > 0) return " ";
    return this.#lists.depth > 0 ? "\n" : "\n\n";
  }

  #writeNotes(): void {
    for (const note of this.#notes.splice(0)) {
      this.builder.separate("\n\n");
      this.builder.write(note.trim(), { path: this.path });
      this.builder.separate("\n\n");
    }
  }
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
