/** Quotations of several pieces with ellipses between them. */

import { countWords } from "../text/quotation-marks.js";
import type { Found, QuotationSearch } from "./quotation-search.js";
import type { QuoteCheck } from "./types.js";

/** Documents with the longest piece that are searched for the others. */
const MAX_DOCUMENTS = 10;
/** UTF-16 units of a document on both sides of the longest piece in which the others are looked for. */
const REACH_UNITS = 500_000;
/** Words of a piece that may be in another document than the others: two words are everywhere. */
const LEAST_WORDS = 3;
/** Pieces of a quotation that are looked for. */
const MAX_PIECES = 50;

export interface Stitched {
  stitch: NonNullable<QuoteCheck["stitch"]>;
  /** Places of each piece; the first is the one that fits the others. */
  pieces: Array<{ text: string; found: Found[] }>;
}

/**
 * Finds all pieces: in one document in their order, else in one document, else anywhere.
 * @returns undefined if a piece is missing
 */
export async function findStitched(
  search: QuotationSearch,
  pieces: readonly string[],
  documents?: ReadonlySet<number>,
): Promise<Stitched | undefined> {
  if (pieces.length > MAX_PIECES) return undefined;
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best));
  const { found } = await search.search(longest, documents);
  if (found.length === 0) return undefined;
  let unordered: Stitched | undefined;
  for (const anchor of firstOfEach(found)) {
    const window = await search.text.range(anchor.document, anchor.start - REACH_UNITS, anchor.end + REACH_UNITS);
    const places = pieces.map((text) => ({ text, found: search.inWindow(text, window) }));
    if (places.some((piece) => piece.found.length === 0)) continue;
    const ordered = inOrder(places);
    if (ordered !== undefined) return { stitch: "in-order", pieces: ordered };
    unordered ??= { stitch: "other-order", pieces: places };
  }
  return unordered ?? (await inSeveral(search, pieces, documents));
}

/** One place per document. */
function firstOfEach(found: readonly Found[]): Found[] {
  const first = new Map<number, Found>();
  for (const place of found) if (!first.has(place.document)) first.set(place.document, place);
  return [...first.values()].slice(0, MAX_DOCUMENTS);
}

/** Puts the places first that come one after another. */
function inOrder(places: Stitched["pieces"]): Stitched["pieces"] | undefined {
  let from = 0;
  const ordered: Stitched["pieces"] = [];
  for (const { text, found } of places) {
    const next = found.filter(({ start }) => start >= from).sort((a, b) => a.start - b.start)[0];
    if (next === undefined) return undefined;
    ordered.push({ text, found: [next, ...found.filter((place) => place !== next)] });
    from = next.end;
  }
  return ordered;
}

async function inSeveral(
  search: QuotationSearch,
  pieces: readonly string[],
  documents: ReadonlySet<number> | undefined,
): Promise<Stitched | undefined> {
  if (pieces.some((piece) => countWords(piece) < LEAST_WORDS)) return undefined;
  const places: Stitched["pieces"] = [];
  for (const text of pieces) {
    const { found } = await search.search(text, documents);
    if (found.length === 0) return undefined;
    places.push({ text, found });
  }
  return { stitch: "several-documents", pieces: places };
}
