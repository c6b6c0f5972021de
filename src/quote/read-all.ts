/** Reads documents one by one, for quotations without words that narrow the search down. */

import { throwIfAborted } from "../errors.js";
import type { SearchSession } from "../search/session.js";
import { type Found, MAX_PLACES, type QuotationSearch } from "./quotation-search.js";

/** UTF-16 units that are read for all quotations of a call together: about a second. */
const READ_UNITS = 16_000_000;

/** @returns for each quotation its places, and whether all documents were read */
export async function readAll(
  search: QuotationSearch,
  quotations: readonly string[],
  { session, signal }: { session: SearchSession; signal: AbortSignal | undefined },
): Promise<{ found: Found[][]; complete: boolean }> {
  const found: Found[][] = quotations.map(() => []);
  const { firstDocuments } = session.numbering;
  let left = READ_UNITS;
  for (const [s, segment] of session.snapshot.segments.entries()) {
    for (let number = 0; number < segment.documentCount; number++) {
      if (segment.isDeleted(number)) continue;
      throwIfAborted(signal);
      const document = firstDocuments[s]! + number;
      left -= search.text.lengthOf(document);
      if (left < 0) return { found, complete: false };
      const open = [...found.keys()].filter((n) => found[n]!.length < MAX_PLACES);
      if (open.length === 0) return { found, complete: true };
      const window = await search.text.range(document, 0, Number.POSITIVE_INFINITY);
      for (const n of open) found[n]!.push(...search.inWindow(quotations[n]!, window));
    }
  }
  for (const places of found) places.sort((a, b) => Number(b.exact) - Number(a.exact)).splice(MAX_PLACES);
  return { found, complete: true };
}
