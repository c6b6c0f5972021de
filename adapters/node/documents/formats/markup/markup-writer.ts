/**
 * Writes documents of line-based markup (reStructuredText, AsciiDoc, Org, …), each line tied to its line in the
 * source.
 */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document, SourceKind } from "../../../../../src/types.js";
import { decodeText } from "../../decode.js";
import type { ReadContext } from "../../input.js";
import { metadataOf } from "../records.js";
import { TextBuilder } from "../text-builder.js";

export class MarkupWriter {
  readonly builder: TextBuilder;
  /** Title that the document names itself; else its first heading is used. */
  title = "";
  readonly fields: Record<string, string> = {};

  constructor(builder: TextBuilder) {
    this.builder = builder;
  }

  /** Ends a paragraph. */
  blank(): void {
    this.builder.separate("\n\n");
  }

  /** A line of a paragraph. @param number  1-based line of the source */
  line(text: string, number: number): void {
    this.builder.separate("\n");
    this.builder.write(text.trim(), { line: number });
    this.builder.separate("\n");
  }

  /** A line that begins an item of a list, or another line. @param mark  "•", "3.", "☑"; "" for another line */
  item(mark: string, text: string, number: number): void {
    this.builder.beginItem(mark);
    this.line(text, number);
    this.builder.endItem();
  }

  /** A line of code, with its indent. */
  code(text: string, number: number): void {
    this.builder.separate("\n");
    this.builder.write(text.trimEnd(), { line: number });
    this.builder.separate("\n");
  }

  heading(text: string, level: number, number: number): void {
    this.blank();
    this.builder.endItem();
    this.builder.beginHeading(level);
    this.builder.write(text.trim(), { line: number });
    this.builder.endHeading();
    this.blank();
  }

  /** A row of a table. */
  row(cells: readonly string[], number: number): void {
    const texts = cells.map((cell) => oneLine(cell));
    if (texts.every((text) => text === "")) return;
    this.builder.beginRow();
    for (const text of texts) {
      this.builder.beginCell();
      this.builder.write(text, { line: number });
    }
    this.builder.endRow();
  }
}

/**
 * One document of a file whose markup `write` understands.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the limits
 */
export function readMarkup(
  bytes: Uint8Array,
  context: ReadContext,
  { kind, write }: { kind: SourceKind; write: (source: string, writer: MarkupWriter) => void },
): Document[] {
  const writer = new MarkupWriter(new TextBuilder(context.limits));
  write(decodeText(bytes).text, writer);
  return [
    {
      id: context.input.id,
      title: oneLine(writer.title) || writer.builder.firstHeading() || context.name,
      source: context.input.path,
      ...writer.builder.content(kind),
      metadata: metadataOf(Object.entries(writer.fields)),
    },
  ];
}

/** Longer lines are data; their markup is left as it is. */
export const MAX_MARKED_UNITS = 10_000;
