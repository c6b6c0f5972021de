/**
 * Documents have no postings of their own: storing them would take two thirds as much room again as
 * those of their passages.
 */

import type { Postings } from "../format/postings-codec.js";

/**
 * Sums a list of passages by document, at most 255 each. A sentence in which two passages overlap
 * counts twice; an n-gram across the border of two passages does not count.
 * @param documentOf  document of each passage, never descending
 */
export function sumByDocument({ units, values }: Postings, documentOf: Uint32Array): Postings {
  const documents = new Uint32Array(units.length);
  const counts = new Uint8Array(units.length);
  let found = 0;
  for (let i = 0; i < units.length; i++) {
    const document = documentOf[units[i]!]!;
    if (found > 0 && documents[found - 1] === document) {
      counts[found - 1] = Math.min(255, counts[found - 1]! + values[i]!);
    } else {
      documents[found] = document;
      counts[found++] = values[i]!;
    }
  }
  return { units: documents.subarray(0, found), values: counts.subarray(0, found) };
}
