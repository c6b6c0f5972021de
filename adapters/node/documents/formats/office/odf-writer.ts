/** Writes the paragraphs, lists, tables and notes of OpenDocument texts and presentations. */

import { oneLine } from "../../../../../src/text/one-line.js";
import { superscript } from "../superscript.js";
import type { Separator, TextBuilder } from "../text-builder.js";
import type { OdfLists } from "./odf-lists.js";
import type { OdfTextStyles } from "./odf-text-styles.js";

export interface OdfStyles {
  lists: OdfLists;
  texts: OdfTextStyles;
}

/**
 * Elements whose content is not text of the document: comments, deleted text, tables of contents, numbers and dates,
 * formulas, pictures.
 */
const UNREAD = new Set([
  ...["annotation", "tracked-changes", "table-of-content", "alphabetical-index", "forms", "script", "event-listeners"],
  ...["page-number", "page-count", "ruby-text", "object", "desc", "title", "header", "footer", "date-time", "scripts"],
  ...["object-ole", "binary-data"],
]);

/** In these, `title` is a field that shows the document's title; elsewhere it describes a picture. */
const TEXT_PARENTS = new Set(["p", "h", "span", "a"]);

/** A row has at most this many columns once its repeated cells are written. */
const MAX_REPEATED_COLUMNS = 100;

/** Events that write paragraphs (OpenDocument 1.3 part 3, sections 5 to 9); `mark` gives their place. */
export class OdfWriter {
  readonly builder: TextBuilder;
  readonly #lists: OdfLists;
  readonly #texts: OdfTextStyles;
  path = "";
  #skipped = 0;
  readonly #openElements: string[] = [];
  /** Open paragraphs and headings. Text outside of them is not shown: it is part of a date format, for example. */
  #paragraphs = 0;
  /** Levels of the open elements whose text is superscript. */
  readonly #raised: number[] = [];
  /** Cells of the open row so far. */
  #columns = 0;
  #cellDepth = 0;
  /** The open cell that is repeated, if any; not the cells of a table in it. */
  #repeated: { depth: number; times: number; text: string } | undefined;
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
    if (name === "p" || name === "h") this.#paragraphs++;
    if (this.#note === undefined || name === "note-citation") this.#open(name, attributes);
    else if (name === "s" || name === "tab" || name === "line-break") this.#note += " ";
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { builder } = this;
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
        this.#addToRepeated(" ");
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
        break;
      case "table-row":
        builder.beginRow();
        this.#columns = 0;
        break;
      case "table-cell":
      case "covered-table-cell":
        builder.beginCell();
        this.#cellDepth++;
        this.#columns++;
        this.#beginRepeated(repeated(attributes["number-columns-repeated"]));
        break;
      case "s":
      case "tab":
        this.text(" ");
        break;
      case "line-break":
        builder.separate(this.#cellDepth > 0 ? " " : "\n");
        this.#addToRepeated(" ");
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
    if (this.#skipped > 0 || this.#paragraphs === 0) return;
    const words = text.replace(/[ \t\r\n]+/g, " ");
    const collapsed = this.#raised.length > 0 ? superscript(words) : words;
    if (this.#note !== undefined) {
      this.#note += collapsed;
      return;
    }
    this.#addToRepeated(collapsed);
    if (collapsed === " ") this.builder.separate(" ");
    else this.builder.write(collapsed, { path: this.path });
  }

  #beginRepeated(times: number): void {
    if (times === 1 || this.#repeated !== undefined) return;
    const most = Math.max(1, MAX_REPEATED_COLUMNS - this.#columns);
    this.#repeated = { depth: this.#cellDepth, times: Math.min(times, most), text: "" };
  }

  /** Writes the text of the cell again, or leaves its columns empty. */
  #endRepeated(): void {
    if (this.#repeated?.depth !== this.#cellDepth) return;
    const { times, text } = this.#repeated;
    this.#repeated = undefined;
    const line = oneLine(text);
    for (let n = 1; n < times; n++) {
      this.builder.beginCell();
      this.builder.write(line, { path: this.path });
      this.#columns++;
    }
  }

  #addToRepeated(text: string): void {
    if (this.#repeated !== undefined) this.#repeated.text += text;
  }

  close(name: string): void {
    if (this.#raised.at(-1) === this.#openElements.length) this.#raised.pop();
    this.#openElements.pop();
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (name === "p" || name === "h") this.#paragraphs--;
    if (this.#note === undefined) this.#close(name);
    else if (name === "note") {
      this.#notes.push(this.#note);
      this.#note = undefined;
    } else if (name === "p") this.#note += " ";
  }

  #close(name: string): void {
    const { builder } = this;
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
        this.#endRepeated();
        this.#cellDepth--;
        break;
      case "table-row":
        builder.endRow();
        break;
      case "table":
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

/** How often an element says that it is repeated: `number-columns-repeated` or `number-rows-repeated`. */
export function repeated(times: string | undefined): number {
  const count = Number(times ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}
