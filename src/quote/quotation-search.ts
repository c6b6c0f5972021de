/** Looks for one quotation after another in the documents of a searcher. */

import type { Searcher } from "../search/searcher.js";
import type { DocumentText, TextWindow } from "./document-text.js";
import { passageCandidates } from "./passage-candidates.js";
import { type FoundPlace, Places } from "./places.js";
import { QuotedWords } from "./quotation-pieces.js";
import type { NearestPassage, QuoteMatch } from "./types.js";
import { alignWords } from "./word-diff.js";

/** Candidates that are always looked at, however few n-grams they share with the quotation. */
const ALWAYS = 4;
/** Share of the n-grams that a further place has once one is found. */
const FURTHER_SHARE = 0.8;
/** UTF-16 units of a passage that is well filled: a longer quotation is in several. */
const PASSAGE_UNITS = 600;
/** Share of the n-grams of a piece of a quotation that its passage has, allowing for hyphens and borders. */
const MIN_SHARE = 0.7;
/** Text around a candidate passage that is read in addition to twice the quotation's length. */
const MARGIN_UNITS = 400;
/** Passages that are compared word by word. */
const COMPARED = 4;
/** UTF-16 units of a document that is searched as a whole. */
const WHOLE_DOCUMENT_UNITS = 4_000_000;

export interface SearchOutcome {
  /** Exact places first, in the order of candidates. */
  found: FoundPlace[];
  /** The windows of the best candidates, for the nearest passage. */
  near: TextWindow[];
  /**
   * No other document that was to be searched can contain it, unless its words are divided
   * differently there.
   */
  complete: boolean;
}

export class QuotationSearch {
  readonly #searcher: Searcher;
  readonly #signal: AbortSignal | undefined;
  readonly text: DocumentText;

  constructor(searcher: Searcher, text: DocumentText, signal: AbortSignal | undefined) {
    this.#searcher = searcher;
    this.#signal = signal;
    this.text = text;
  }

  /** Searches all documents, or only those given. */
  async search(quotation: string, documents?: ReadonlySet<number>): Promise<SearchOutcome> {
    const wanted = new QuotedWords(quotation);
    const signal = this.#signal;
    const { passages, full, complete } = await passageCandidates(this.#searcher, quotation, { documents, signal });
    const collected = new Places();
    const near: TextWindow[] = [];
    const least = (MIN_SHARE * full) / (2 + Math.floor(quotation.length / PASSAGE_UNITS));
    const margin = 2 * quotation.length + MARGIN_UNITS;
    for (const [n, { id, score }] of passages.entries()) {
      if (score < (collected.found.length > 0 ? FURTHER_SHARE * full : n < ALWAYS ? 0 : least)) break;
      const window = await this.text.around(id, margin);
      if (near.length < COMPARED && !near.includes(window)) near.push(window);
      collected.look(window, wanted);
      if (collected.isFull) break;
    }
    const isFound = collected.found.length > 0;
    const areRead = !isFound && documents !== undefined && (await this.#readWhole(wanted, documents, collected));
    return { found: collected.found, near, complete: complete || areRead };
  }

  /** @returns whether all documents were read */
  async #readWhole(wanted: QuotedWords, documents: ReadonlySet<number>, collected: Places): Promise<boolean> {
    let left = WHOLE_DOCUMENT_UNITS;
    for (const document of documents) {
      left -= this.text.lengthOf(document);
      if (left < 0 || collected.isFull) return false;
      collected.look(await this.text.range(document, 0, Number.POSITIVE_INFINITY), wanted);
    }
    return true;
  }

  async matches(found: readonly FoundPlace[]): Promise<QuoteMatch[]> {
    const matches: QuoteMatch[] = [];
    for (const { document, start, end, exact, text } of found) {
      matches.push({ ...(await this.text.place(document, { start, end }, text)), exact });
    }
    return matches;
  }

  /** The range of the windows that is most similar to the quotation. */
  async nearest(quotation: string, windows: readonly TextWindow[]): Promise<NearestPassage | undefined> {
    let best:
      | { document: number; from: number; text: string; at: NonNullable<ReturnType<typeof alignWords>> }
      | undefined;
    for (const { document, from, text } of windows) {
      const at = alignWords(quotation, text);
      if (at !== undefined && at.sharedWords > (best?.at.sharedWords ?? 0)) best = { document, from, text, at };
    }
    if (best === undefined) return undefined;
    const { start, end, sharedWords, difference } = best.at;
    const range = { start: best.from + start, end: best.from + end };
    return { ...(await this.text.place(best.document, range, best.text.slice(start, end))), sharedWords, difference };
  }
}
