/** Whether a text contains phrases and does not contain others, as quotations are compared. */

import { type FoldedText, foldText } from "../../text/fold.js";
import { Quotation } from "../../text/quotation.js";

const quoted = (phrase: string): Quotation => new Quotation(phrase, { mayEndInHangul: true });

/** Korean particles may follow a phrase: they are written without a space. */
export class RestrictionMatcher {
  readonly #phrases: readonly Quotation[];
  readonly #excluded: readonly Quotation[];

  constructor({ phrases, excluded }: { phrases: readonly string[]; excluded: readonly string[] }) {
    this.#phrases = phrases.map(quoted);
    this.#excluded = excluded.map(quoted);
  }

  /** O(text) per phrase */
  accepts(text: string): boolean {
    let form: FoldedText | undefined;
    const folded = (): FoldedText => {
      form ??= foldText(text);
      return form;
    };
    const has = (phrase: Quotation): boolean => phrase.findIn(text, { limit: 1, folded }) !== undefined;
    return this.#phrases.every(has) && !this.#excluded.some(has);
  }
}
