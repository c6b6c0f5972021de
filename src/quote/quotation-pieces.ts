/** The parts of a quotation that have to be in a document: without ellipses and the draft's own punctuation. */

import { type FoldedForms, type FoundQuotation, Quotation, type QuotationPlace } from "../text/quotation.js";

/** "…", "...", ". . .", each also in brackets, with a full stop before or after it. */
const ELLIPSIS = /\[\s*(?:…|\.\s?\.\s?\.)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)|\.?\s?…|\.\s?\.\s?\.(?:\s?\.)?/gu;
const HAS_WORD = /[\p{L}\p{N}]/u;
/** A comma or full stop inside the closing mark belongs to the sentence around the quotation. */
const OWN_PUNCTUATION = /[.,;]$/u;

/** A quotation or a piece of one. */
export class QuotedWords {
  readonly text: string;
  readonly #forms: readonly Quotation[];

  constructor(text: string) {
    this.text = text.trim();
    const bare = this.text.replace(OWN_PUNCTUATION, "").trimEnd();
    const forms = bare === this.text ? [this.text] : [this.text, bare];
    this.#forms = forms.map((form) => new Quotation(form)).filter(({ isEmpty }) => !isEmpty);
  }

  /** As `Quotation.findIn`; without its last comma or full stop if it is not found with it. */
  findIn(text: string, options: { limit?: number; from?: number } & FoldedForms): FoundQuotation | undefined {
    for (const form of this.#forms) {
      const found = form.findIn(text, options);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The first place at or after `from`, with or without the last comma or full stop. */
  firstIn(text: string, options: { from: number } & FoldedForms): QuotationPlace | undefined {
    let first: QuotationPlace | undefined;
    for (const form of this.#forms) {
      const place = form.firstIn(text, options);
      if (place !== undefined && (first === undefined || place.start < first.start)) first = place;
    }
    return first;
  }
}

/** The texts between ellipses that contain a word, in order. One for a quotation without ellipsis. */
export function piecesOf(quotation: string): string[] {
  return quotation
    .split(ELLIPSIS)
    .map((piece) => piece.trim())
    .filter((piece) => HAS_WORD.test(piece));
}

export function hasWord(text: string): boolean {
  return HAS_WORD.test(text);
}
