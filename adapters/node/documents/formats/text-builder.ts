/** Builds extracted text together with the map back to its source. */

import { oneLine } from "../../../../src/text/one-line.js";
import type { Document, Heading, SourceMap, SourceSegment } from "../../../../src/types.js";
import { wellFormed } from "../decode.js";
import type { ReadLimits } from "../limits.js";
import { unreadable } from "../skip.js";

/** Where the next written text comes from; see SourceSegment. */
export type SourceMark = Omit<SourceSegment, "start">;

/** What separates two written texts, weakest first; the strongest one requested is written. */
export type Separator = "" | " " | " | " | "\n" | "\n\n";
const STRENGTH: Record<Separator, number> = { "": 0, " ": 1, " | ": 2, "\n": 3, "\n\n": 4 };
const CELL_BOUNDARY = " | ";

/** Further headings of one document are not recorded; their text is. */
const MAX_HEADINGS = 100_000;

export class TextBuilder {
  readonly segments: SourceSegment[] = [];
  readonly #headings: Heading[] = [];
  /** A heading that has begun; it starts with the next text. */
  #openHeading: { level: number; start: number | undefined } | undefined;
  /** Mark of a list item that has begun and has no text yet. */
  #itemMark: string | undefined;
  readonly #limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">;
  #parts: string[] = [];
  #length = 0;
  #separator: Separator = "";
  /** Columns of the current row, from 0: of the cell that has begun, and of the last one with text. */
  #column = 0;
  #writtenColumn = 0;
  #isRowEmpty = false;

  constructor(limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">) {
    this.#limits = limits;
  }

  /** UTF-16 units written, without a pending separator. */
  get length(): number {
    return this.#length;
  }

  /** Asks for a separator before the next text; none is written at the start or the end. */
  separate(separator: Separator): void {
    if (STRENGTH[separator] > STRENGTH[this.#separator]) this.#separator = separator;
  }

  /**
   * Adds text that comes from `mark`; a segment begins unless the previous one has the same mark.
   * @throws VerbatimError `unreadable-document` when the text or its map grows beyond its limit
   */
  write(text: string, mark: SourceMark): void {
    if (text === "") return;
    if (this.#itemMark !== undefined) this.#writeItemMark(mark);
    const boundaries = CELL_BOUNDARY.repeat(Math.max(0, this.#column - this.#writtenColumn));
    // Empty cells that a row begins with belong to its text, and so to its place.
    const emptyCells = this.#isRowEmpty ? boundaries : "";
    // A line break inside a cell ends the line of the row.
    const isRowBroken = STRENGTH[this.#separator] > STRENGTH[CELL_BOUNDARY];
    const separator = boundaries === emptyCells || isRowBroken ? this.#separator : boundaries;
    if (this.#length > 0 && separator !== "") this.#append(separator);
    this.#separator = "";
    this.#writtenColumn = this.#column;
    this.#isRowEmpty = false;
    if (this.#openHeading !== undefined) this.#openHeading.start ??= this.#length;
    const last = this.segments.at(-1);
    if (
      last === undefined ||
      last.linear ||
      mark.linear ||
      last.line !== mark.line ||
      last.page !== mark.page ||
      last.path !== mark.path
    ) {
      const { maxSegments } = this.#limits;
      if (this.segments.length >= maxSegments) {
        throw unreadable(`has more than ${maxSegments.toLocaleString("en")} lines or parts`, "Split it.");
      }
      this.segments.push({ start: this.#length, ...mark });
    }
    this.#append(emptyCells + wellFormed(text));
  }

  /**
   * Begins an item of a list. Its mark is written before its first text; of two marks before it, the last one counts.
   * An item without text has no mark.
   * @param mark  "•", "3.", "☑"; none if it is empty
   */
  beginItem(mark: string): void {
    this.#itemMark = mark === "" ? undefined : mark;
  }

  endItem(): void {
    this.#itemMark = undefined;
  }

  /** True between the beginning of an item and its first text. */
  get isAtItem(): boolean {
    return this.#itemMark !== undefined;
  }

  /** Begins a row of a table, on a line of its own. */
  beginRow(): void {
    this.endItem();
    this.separate("\n");
    this.#column = -1;
    this.#writtenColumn = 0;
    this.#isRowEmpty = true;
  }

  /**
   * Begins a cell of the row: " | " is written for each boundary of cells before its text, so that empty cells keep
   * their place. Empty cells at the end of a row are left out.
   * @param column  from 0. Default: the next one
   */
  beginCell(column = this.#column + 1): void {
    this.#column = column;
  }

  endRow(): void {
    this.#column = 0;
    this.#writtenColumn = 0;
    this.#isRowEmpty = false;
    this.separate("\n");
  }

  /**
   * What is written until `endHeading` is a heading.
   * @param level  1 is the outermost
   */
  beginHeading(level: number): void {
    this.#openHeading = { level, start: undefined };
  }

  endHeading(): void {
    const heading = this.#openHeading;
    this.#openHeading = undefined;
    if (heading?.start === undefined) return;
    this.addHeading({ start: heading.start, end: this.#length, level: heading.level });
  }

  /** Says that a range that was written is a heading; call it in the order of the text. */
  addHeading(heading: Heading): void {
    if (this.#headings.length < MAX_HEADINGS) this.#headings.push(heading);
  }

  /** The first heading of at most this level on one line; "" if there is none. */
  firstHeading(maxLevel = Infinity): string {
    const first = this.#headings.find(({ level }) => level <= maxLevel);
    return first === undefined ? "" : oneLine(this.text().slice(first.start, first.end));
  }

  /** Text, map and structure of the document. */
  content(kind: SourceMap["kind"]): Pick<Document, "text" | "map" | "headings"> {
    return {
      text: this.text(),
      map: { kind, segments: this.segments },
      ...(this.#headings.length === 0 ? {} : { headings: this.#headings }),
    };
  }

  /** The text so far. */
  text(): string {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join("")];
    return this.#parts[0] ?? "";
  }

  /** The mark is part neither of a heading in the item nor of code, whose characters have places of their own. */
  #writeItemMark({ linear: _, ...mark }: SourceMark): void {
    const text = this.#itemMark!;
    const heading = this.#openHeading;
    this.#itemMark = undefined;
    this.#openHeading = undefined;
    this.write(text, mark);
    this.#openHeading = heading;
    this.separate(" ");
  }

  #append(text: string): void {
    this.#length += text.length;
    const { maxTextUnits } = this.#limits;
    if (this.#length > maxTextUnits) {
      throw unreadable(`has more than ${maxTextUnits} characters of text`, "Split it, or raise the limit.");
    }
    this.#parts.push(text);
  }
}
