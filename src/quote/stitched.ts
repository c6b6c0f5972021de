/** Quotations of several pieces with ellipses between them. */

import { countWords } from "../text/quotation-marks.js";
import type { TextWindow } from "./document-text.js";
import { type FoundPlace, MAX_PLACES, nextPlaceIn, placesIn } from "./places.js";
import { QuotedWords } from "./quotation-pieces.js";
import type { QuotationSearch } from "./quotation-search.js";
import type { QuoteCheck } from "./types.js";

/** Pieces, the longest first, that are looked for until one is found: not all have words to search by. */
const MAX_ANCHORS = 3;
/** Documents with the anchor that are searched for the other pieces. */
const MAX_DOCUMENTS = 10;
/** UTF-16 units of a document on both sides of the anchor in which the others are looked for. */
const REACH_UNITS = 500_000;
/** Words of a piece that may be in another document than the others: two words are everywhere. */
const MIN_WORDS = 3;
/** Pieces of a quotation that are looked for. */
export const MAX_PIECES = 50;

export interface Stitched {
  stitch: NonNullable<QuoteCheck["stitch"]>;
  /** Places of each piece, at most MAX_PLACES; the first is the one that fits the others. */
  pieces: Array<{ text: string; found: FoundPlace[] }>;
}

interface StitchedOutcome {
  stitched: Stitched | undefined;
  /** No other document can contain the pieces. */
  complete: boolean;
}

/** Finds all pieces: in one document in their order, else in one document, else anywhere. */
export async function findStitched(
  search: QuotationSearch,
  texts: readonly string[],
  documents?: ReadonlySet<number>,
): Promise<StitchedOutcome> {
  if (texts.length > MAX_PIECES) return { stitched: undefined, complete: false };
  const pieces = texts.map((text) => new QuotedWords(text));
  const anchors = await anchorsOf(search, texts, documents);
  if (anchors.found.length === 0) return { stitched: undefined, complete: anchors.complete };
  let { complete } = anchors;
  let unordered: Stitched | undefined;
  for (const anchor of anchors.found) {
    const within = await search.text.range(anchor.document, anchor.start - REACH_UNITS, anchor.end + REACH_UNITS);
    const stitched = stitchedIn(within, piecesIn(within, pieces));
    if (stitched?.stitch === "in-order") return { stitched, complete: true };
    unordered ??= stitched;
    complete &&= within.beginsDocument && within.endsDocument;
  }
  if (unordered !== undefined) return { stitched: unordered, complete };
  const several = mayBeInSeveral(pieces);
  if (complete && !several) return { stitched: undefined, complete };
  const placed: PlacedPiece[] = [];
  for (const words of pieces) {
    const { found, complete: isMissing } = await search.search(words.text, documents);
    if (found.length > 0) placed.push({ words, found });
    else if (isMissing) return { stitched: undefined, complete: true };
  }
  if (!several || placed.length < pieces.length) return { stitched: undefined, complete: false };
  return { stitched: stitchedAs("several-documents", placed), complete: true };
}

/** One place per document of the longest piece that is found. */
async function anchorsOf(
  search: QuotationSearch,
  texts: readonly string[],
  documents: ReadonlySet<number> | undefined,
): Promise<{ found: FoundPlace[]; complete: boolean }> {
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  for (const text of longestFirst.slice(0, MAX_ANCHORS)) {
    const { found, complete } = await search.search(text, documents);
    if (found.length > 0) return { found: firstOfEach(found), complete: complete && found.length < MAX_PLACES };
    if (complete) return { found: [], complete: true };
  }
  return { found: [], complete: false };
}

/** One place per document. */
function firstOfEach(found: readonly FoundPlace[]): FoundPlace[] {
  const first = new Map<number, FoundPlace>();
  for (const place of found) if (!first.has(place.document)) first.set(place.document, place);
  return [...first.values()].slice(0, MAX_DOCUMENTS);
}

/** A piece with its places, in one document or in all. */
export interface PlacedPiece {
  words: QuotedWords;
  found: FoundPlace[];
}

export function piecesIn(within: TextWindow, pieces: readonly QuotedWords[]): PlacedPiece[] {
  return pieces.map((words) => ({ words, found: placesIn(within, words) }));
}

/**
 * Puts pieces of one window together. O(pieces · window)
 * @returns undefined if one is missing
 */
export function stitchedIn(within: TextWindow, pieces: readonly PlacedPiece[]): Stitched | undefined {
  if (pieces.some(({ found }) => found.length === 0)) return undefined;
  const ordered = inOrder(within, pieces, { preferExact: true }) ?? inOrder(within, pieces, { preferExact: false });
  if (ordered === undefined) return stitchedAs("other-order", pieces);
  const fitting = pieces.map(({ words, found }, n) => {
    const first = ordered[n]!;
    const others = found.filter(({ start }) => start !== first.start);
    return { words, found: [first, ...others].slice(0, MAX_PLACES) };
  });
  return stitchedAs("in-order", fitting);
}

/** The first place of each piece after the previous one. */
function inOrder(
  within: TextWindow,
  pieces: readonly PlacedPiece[],
  { preferExact }: { preferExact: boolean },
): FoundPlace[] | undefined {
  const ordered: FoundPlace[] = [];
  for (const { words } of pieces) {
    const next = nextPlaceIn(within, words, { from: ordered.at(-1)?.end ?? within.from, preferExact });
    if (next === undefined) return undefined;
    ordered.push(next);
  }
  return ordered;
}

export function stitchedAs(stitch: Stitched["stitch"], pieces: readonly PlacedPiece[]): Stitched {
  return { stitch, pieces: pieces.map(({ words, found }) => ({ text: words.text, found })) };
}

/** Whether all pieces are long enough to mean something in different documents. */
export function mayBeInSeveral(pieces: readonly QuotedWords[]): boolean {
  return pieces.every(({ text }) => countWords(text) >= MIN_WORDS);
}
