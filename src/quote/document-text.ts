/** Parts of documents in which quotations are looked for: read once for all quotations, and folded when needed. */

import { placeInSource } from "../search/locate/answer.js";
import { countsBefore } from "../search/locate/text-counts.js";
import { Lru } from "../search/lru.js";
import { rangeOf } from "../search/numbering.js";
import type { Searcher } from "../search/searcher.js";
import { type FoldedText, foldText } from "../text/fold.js";
import { blankMarks } from "../text/item-marks.js";
import type { Span } from "../types.js";
import { lastIndexIn } from "../vectors/ascending.js";
import type { QuotePlace } from "./types.js";

/** Longer documents are read in windows around a passage, in UTF-16 units. */
const WHOLE_UNITS = 4096;
/** Text that is kept with its folded form, in UTF-16 units. */
const CACHED_UNITS = 4 * 1024 * 1024;

/** `text` is `[from, from + text.length)` of a document's text. */
export interface TextWindow {
  /** Number of the document through all segments. */
  document: number;
  from: number;
  text: string;
  /** The document begins or ends at an end of the window; a match at another end may cut a word. */
  beginsDocument: boolean;
  endsDocument: boolean;
  folded(): FoldedText;
  /** Without marks of list items, which a quotation of several items may leave out; undefined if there are none. */
  foldedWithoutMarks(): FoldedText | undefined;
}

export class DocumentText {
  readonly #searcher: Searcher;
  readonly #signal: AbortSignal | undefined;
  readonly #windows = new Lru<string, TextWindow>(CACHED_UNITS, ({ text }) => text.length + 64);

  constructor(searcher: Searcher, signal: AbortSignal | undefined) {
    this.#searcher = searcher;
    this.#signal = signal;
  }

  /** The text around a passage, at least `margin` units on both sides. @param passage  through all segments */
  async around(passage: number, margin: number): Promise<TextWindow> {
    const { firstPassages, passageDocuments } = this.#searcher.numbering;
    const segment = rangeOf(firstPassages, passage);
    const { start, end } = this.#searcher.segment(segment).passage(passage - firstPassages[segment]!);
    const document = passageDocuments[passage]!;
    const length = this.#coveredLength(document, segment);
    if (length <= WHOLE_UNITS) return this.range(document, 0, length);
    return this.range(document, start - margin, end + margin);
  }

  /** `text.slice(from, to)` of a document, both bounds moved into the text. */
  async range(document: number, from: number, to: number): Promise<TextWindow> {
    const segment = rangeOf(this.#searcher.numbering.firstDocuments, document);
    const length = this.#coveredLength(document, segment);
    const start = Math.max(0, from);
    const end = Math.min(length, to);
    const key = `${document} ${start} ${end}`;
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const local = document - this.#searcher.numbering.firstDocuments[segment]!;
    const text = await this.#searcher.segment(segment).readText(local, start, end, this.#signal);
    let folded: FoldedText | undefined;
    let withoutMarks: FoldedText | "none" | undefined;
    const window: TextWindow = {
      document,
      from: start,
      text,
      beginsDocument: start === 0,
      endsDocument: end === length,
      folded: () => {
        folded ??= foldText(text);
        return folded;
      },
      foldedWithoutMarks: () => {
        if (withoutMarks === undefined) {
          const bare = blankMarks(text);
          withoutMarks = bare === text ? "none" : foldText(bare);
        }
        return withoutMarks === "none" ? undefined : withoutMarks;
      },
    };
    this.#windows.set(key, window);
    return window;
  }

  /** Length of the document's text up to the end of its last passage: only white space can follow. */
  lengthOf(document: number): number {
    return this.#coveredLength(document, rangeOf(this.#searcher.numbering.firstDocuments, document));
  }

  /** A range of a document with its names and its place in the source. */
  async place(document: number, { start, end }: Span, text: string): Promise<QuotePlace> {
    const searcher = this.#searcher;
    const segment = rangeOf(searcher.numbering.firstDocuments, document);
    const local = document - searcher.numbering.firstDocuments[segment]!;
    const record = await searcher.document(segment, local, this.#signal);
    const place = { segment, document: local, length: record.length };
    const signal = this.#signal;
    const { newlines } = await countsBefore(searcher, start, { place, ...(signal && { signal }) });
    return {
      documentId: record.id,
      title: record.title,
      source: record.source,
      start,
      end,
      place: await placeInSource(searcher, { record, start }, { newlines, place, signal }),
      text,
    };
  }

  #coveredLength(document: number, segment: number): number {
    const { passageDocuments, firstPassages } = this.#searcher.numbering;
    const last = lastIndexIn(passageDocuments, document);
    if (last < 0) return 0;
    return this.#searcher.segment(segment).passage(last - firstPassages[segment]!).end;
  }
}
