/** Reads documents one by one, for quotations without words that narrow the search down. */

import { throwIfAborted } from "../errors.js";
import type { Searcher } from "../search/searcher.js";
import type { TextWindow } from "./document-text.js";
import { type FoundPlace, MAX_PLACES, placesIn } from "./places.js";
import { piecesOf, QuotedWords } from "./quotation-pieces.js";
import type { QuotationSearch } from "./quotation-search.js";
import {
  MAX_PIECES,
  mayBeInSeveral,
  type PlacedPiece,
  piecesIn,
  type Stitched,
  stitchedAs,
  stitchedIn,
} from "./stitched.js";

/** UTF-16 units that may be read: about a second. */
const READ_UNITS = 16_000_000;

/** What calls of `readAll` may still read together. */
export class ReadBudget {
  #left = READ_UNITS;

  /** @returns false if there is not so much left */
  take(units: number): boolean {
    this.#left -= units;
    return this.#left >= 0;
  }
}

export interface ReadQuotation {
  found: FoundPlace[];
  /** Only if `found` is empty. */
  stitched: Stitched | undefined;
  /** All documents were read for all that the quotation consists of. */
  complete: boolean;
}

interface ReadOptions {
  searcher: Searcher;
  signal: AbortSignal | undefined;
  /** The only documents that are read. Default: all. */
  documents?: ReadonlySet<number>;
  budget: ReadBudget;
}

/** @returns what was found of each quotation */
export async function readAll(
  search: QuotationSearch,
  quotations: readonly string[],
  options: ReadOptions,
): Promise<ReadQuotation[]> {
  const sought = quotations.map((text) => new SoughtQuotation(text));
  const areRead = await readDocuments(search, sought, options);
  return sought.map((quotation) => quotation.result(areRead));
}

/** @returns whether all documents were read that may change a result */
async function readDocuments(
  search: QuotationSearch,
  sought: readonly SoughtQuotation[],
  { searcher, signal, documents, budget }: ReadOptions,
): Promise<boolean> {
  const { firstDocuments } = searcher.numbering;
  for (const [s, segment] of searcher.snapshot.segments.entries()) {
    for (let number = 0; number < segment.documentCount; number++) {
      const document = firstDocuments[s]! + number;
      if (segment.isDeleted(number) || documents?.has(document) === false) continue;
      throwIfAborted(signal);
      if (!budget.take(search.text.lengthOf(document))) return false;
      const open = sought.filter(({ isFull }) => !isFull);
      if (open.length === 0) return true;
      const window = await search.text.range(document, 0, Number.POSITIVE_INFINITY);
      for (const quotation of open) quotation.look(window);
    }
  }
  return true;
}

/** One quotation while documents are read. */
class SoughtQuotation {
  readonly #whole: QuotedWords;
  /** None if the quotation has no ellipsis. */
  readonly #pieces: readonly QuotedWords[];
  readonly #areTooMany: boolean;
  #found: FoundPlace[] = [];
  /** Places of each piece in all documents. */
  readonly #ofPieces: readonly PlacedPiece[];
  #stitched: Stitched | undefined;

  constructor(text: string) {
    this.#whole = new QuotedWords(text);
    const pieces = piecesOf(text).filter((piece) => piece !== this.#whole.text);
    this.#areTooMany = pieces.length > MAX_PIECES;
    this.#pieces = this.#areTooMany ? [] : pieces.map((piece) => new QuotedWords(piece));
    this.#ofPieces = this.#pieces.map((words) => ({ words, found: [] }));
  }

  get isFull(): boolean {
    return this.#found.length >= MAX_PLACES;
  }

  look(window: TextWindow): void {
    this.#found.push(...placesIn(window, this.#whole));
    if (this.#pieces.length === 0 || this.#stitched?.stitch === "in-order") return;
    const pieces = piecesIn(window, this.#pieces);
    for (const [n, { found }] of this.#ofPieces.entries()) {
      if (found.length < MAX_PLACES) found.push(...pieces[n]!.found);
    }
    if (pieces.length === 1) return;
    const stitched = stitchedIn(window, pieces);
    if (this.#stitched === undefined || stitched?.stitch === "in-order") this.#stitched = stitched;
  }

  result(areRead: boolean): ReadQuotation {
    const complete = areRead && !this.#areTooMany;
    for (const { found } of this.#ofPieces) bestOf(found);
    // an ellipsis at an end omits nothing
    const found = bestOf(
      this.#found.length === 0 && this.#pieces.length === 1 ? this.#ofPieces[0]!.found : this.#found,
    );
    const stitched = found.length > 0 ? undefined : (this.#stitched ?? this.#inSeveral());
    return { found, stitched, complete };
  }

  #inSeveral(): Stitched | undefined {
    const areFound = this.#ofPieces.every(({ found }) => found.length > 0);
    if (this.#pieces.length < 2 || !areFound || !mayBeInSeveral(this.#pieces)) return undefined;
    return stitchedAs("several-documents", this.#ofPieces);
  }
}

/** Keeps MAX_PLACES places, exact ones first. */
function bestOf(found: FoundPlace[]): FoundPlace[] {
  found.sort((a, b) => Number(b.exact) - Number(a.exact)).splice(MAX_PLACES);
  return found;
}
