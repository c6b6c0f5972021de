/** The parts of a quotation that have to be in a document: without ellipses and the draft's own punctuation. */

import { type FoldedForms, type FoundQuotation, Quotation, type QuotationPlace } from "../text/quotation.js";
import { hasWord } from "../text/words.js";

/** "…", "...", ". . .", each also in brackets, with a full stop before or after it. */
const ELLIPSIS = /\[\s*(?:…|\.\s?\.\s?\.)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)|\.?\s?…|\.\s?\.\s?\.(?:\s?\.)?/gu;
/** A comma or full stop inside the closing mark belongs to the sentence around the quotation. */
const OWN_PUNCTUATION = /[.,;]$/u;
/** The mark of a mistake that is the author's own. */
const SIC = /\s?[[(]sic[.!]?[\])]/giu;

/** A quotation or a piece of one. */
export class QuotedWords {
  readonly text: string;
  /** In the order in which they are tried; `isWhole` without "[sic]". */
  readonly #forms: ReadonlyArray<{ form: Quotation; isWhole: boolean }>;

  constructor(text: string) {
    this.text = text.trim();
    const forms = [this.text, this.text.replace(SIC, "")].flatMap((form) => [
      form,
      form.replace(OWN_PUNCTUATION, "").trimEnd(),
    ]);
    this.#forms = [...new Set(forms)]
      .map((form) => ({ form: new Quotation(form), isWhole: this.text.startsWith(form) }))
      .filter(({ form }) => !form.isEmpty);
  }

  /** As `Quotation.findIn`; without its last comma or full stop, or "[sic]", if it is not found with it. */
  findIn(text: string, options: { limit?: number; from?: number } & FoldedForms): FoundQuotation | undefined {
    for (const { form, isWhole } of this.#forms) {
      const found = form.findIn(text, options);
      if (found !== undefined) return { ...found, exact: found.exact && isWhole };
    }
    return undefined;
  }

  /** The first place at or after `from`, with or without the last comma or full stop, or "[sic]". */
  firstIn(text: string, options: { from: number } & FoldedForms): QuotationPlace | undefined {
    let first: QuotationPlace | undefined;
    for (const { form, isWhole } of this.#forms) {
      const place = form.firstIn(text, options);
      if (place !== undefined && (first === undefined || place.start < first.start)) {
        first = { ...place, exact: place.exact && isWhole };
      }
    }
    return first;
  }
}

/** The texts between ellipses that contain a word, in order. One for a quotation without ellipsis. */
export function piecesOf(quotation: string): string[] {
  return quotation
    .split(ELLIPSIS)
    .map((piece) => piece.trim())
    .filter((piece) => hasWord(piece));
}
