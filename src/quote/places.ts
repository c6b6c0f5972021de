/** Places of quotations in windows of documents. */

import type { FoldedForms } from "../text/quotation.js";
import type { TextWindow } from "./document-text.js";
import type { QuotedWords } from "./quotation-pieces.js";

/** Places of a quotation that are returned. */
export const MAX_PLACES = 10;

/** A place of the quotation in a document that is numbered across all segments. */
export interface FoundPlace {
  document: number;
  start: number;
  end: number;
  exact: boolean;
  text: string;
}

/** Distinct places, exact ones first. */
export class Places {
  readonly #exact: FoundPlace[] = [];
  readonly #sameWords: FoundPlace[] = [];
  readonly #seen = new Set<string>();

  get isFull(): boolean {
    return this.#exact.length >= MAX_PLACES;
  }

  get found(): FoundPlace[] {
    return [...this.#exact, ...this.#sameWords].slice(0, MAX_PLACES);
  }

  look(within: TextWindow, wanted: QuotedWords): void {
    const hit = wanted.findIn(within.text, { limit: MAX_PLACES, ...foldedForms(within) });
    for (const { start, end } of hit?.places ?? []) {
      if (mayCutWord(within, start, end)) continue;
      const key = `${within.document} ${within.from + start}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const { exact } = hit!;
      (exact ? this.#exact : this.#sameWords).push(foundAt(within, { start, end, exact }));
    }
  }
}

/** Places of the words in a range of a document; those with the same words only if there are no exact ones. */
export function placesIn(within: TextWindow, wanted: QuotedWords): FoundPlace[] {
  const places = new Places();
  places.look(within, wanted);
  return places.found;
}

/**
 * The first place that begins at or after an offset of the document. O(window)
 * @param preferExact  whether a later exact place is better than an earlier one with the same words
 */
export function nextPlaceIn(
  within: TextWindow,
  wanted: QuotedWords,
  { from, preferExact }: { from: number; preferExact: boolean },
): FoundPlace | undefined {
  const options = { from: Math.max(from - within.from, within.beginsDocument ? 0 : 1), ...foldedForms(within) };
  if (!preferExact) return placed(within, wanted.firstIn(within.text, options));
  const hit = wanted.findIn(within.text, { ...options, limit: 1 });
  return placed(within, hit && { ...hit.places[0]!, exact: hit.exact });
}

function foldedForms(within: TextWindow): FoldedForms {
  return { folded: () => within.folded(), withoutMarks: () => within.foldedWithoutMarks() };
}

interface PlaceInWindow {
  start: number;
  end: number;
  exact: boolean;
}

function placed(within: TextWindow, place: PlaceInWindow | undefined): FoundPlace | undefined {
  if (place === undefined || mayCutWord(within, place.start, place.end)) return undefined;
  return foundAt(within, place);
}

function foundAt({ document, from, text }: TextWindow, { start, end, exact }: PlaceInWindow): FoundPlace {
  return { document, start: from + start, end: from + end, exact, text: text.slice(start, end) };
}

/** True if a place ends where the window does, but not the document. */
function mayCutWord({ text, beginsDocument, endsDocument }: TextWindow, start: number, end: number): boolean {
  return (start === 0 && !beginsDocument) || (end === text.length && !endsDocument);
}
