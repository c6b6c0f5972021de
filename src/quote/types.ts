/** What a check of quotations takes and returns. Types only. */

import type { Place } from "../types.js";

/** A quotation with the name of the document that it is said to come from. */
export interface QuotationInput {
  /** The words, without the quotation marks around them. */
  text: string;
  /**
   * The source as the draft names it: a file, an id, a title, or a line that contains one of them.
   * A name that no document has is reported as unknown and does not change the verdict.
   */
  attributedTo?: string;
  /**
   * Emphasised words before the quotation, which may be a title or only stressed: they are its
   * source if a document has exactly this name. Ignored with `attributedTo`.
   */
  mentioned?: string;
  /** Searches this document only. */
  documentId?: string;
}

/**
 * - `exact`: a document has the same characters; only line breaks may differ.
 * - `same-words`: case, hyphens, ligatures, quotation marks, spaces or the encoding of letters differ.
 * - `stitched`: the pieces between ellipses are in a document, each exact or with the same words.
 * - `misattributed`: one of the above, but not in the document that is named as the source.
 * - `not-found`: no document has these words in this order.
 */
export type QuoteVerdict = (typeof QUOTE_VERDICTS)[number];
export const QUOTE_VERDICTS = ["exact", "same-words", "stitched", "misattributed", "not-found"] as const;

/** A range of a document. Offsets are UTF-16 units of its text; `end` is exclusive. */
export interface QuotePlace {
  documentId: string;
  title: string;
  source: string;
  start: number;
  end: number;
  place: Place;
  /** `text.slice(start, end)` of the document's text. */
  text: string;
}

export interface QuoteMatch extends QuotePlace {
  /** The same characters; only line breaks may differ. */
  exact: boolean;
}

/** Words that a quotation and a document share, or that only one of them has. */
export interface WordDifference {
  /** `added`: only the quotation has them; `missing`: only the document. */
  kind: "same" | "added" | "missing";
  text: string;
}

export interface NearestPassage extends QuotePlace {
  /** Share of the quotation's words that the passage has in this order, 0 to 1. */
  sharedWords: number;
  /** From the passage to the quotation, in order. */
  difference: WordDifference[];
}

export interface StitchedPiece {
  text: string;
  /** Where it was found; the first is the one that fits the other pieces. */
  places: QuoteMatch[];
}

export interface QuoteCheck {
  quotation: string;
  verdict: QuoteVerdict;
  /** Where it was found, at most ten, exact ones first; empty for `stitched` and `not-found`. */
  places: QuoteMatch[];
  /** Only for a quotation of pieces: `stitched`, or `misattributed` with no `places`. */
  pieces?: StitchedPiece[];
  /** Only with `pieces`. */
  stitch?: "in-order" | "other-order" | "several-documents";
  /** The given source, and the documents that it names, at most ten; none: it is unknown here. */
  attribution?: { name: string; documentIds: string[] };
  /** Only for `not-found`: the most similar passage, where there is one. */
  nearest?: NearestPassage;
  /**
   * Only for `not-found`: false if the quotation has no rare words, and the index is too large to
   * read all of it, or if it has more than 50 pieces.
   */
  complete?: boolean;
}

export interface QuoteOptions {
  signal?: AbortSignal;
  /** Called with the number of quotations that are done, and of all. */
  onProgress?: (done: number, total: number) => void;
}
