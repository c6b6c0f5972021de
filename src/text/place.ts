/** Maps an offset in the extracted text to its place in the source. */

import type { Place, SourceMap } from "../types.js";
import { countAtMost } from "../vectors/ascending.js";

/** Whether the line or page counts within a part of the source: a mail's attachment, which its path names. */
export const isWithinPart = ({ path }: Place): boolean => path !== undefined && /(?:^|, )attachment /u.test(path);

/**
 * The place of a UTF-16 offset: line, page and path of its segment; inside a linear segment, lines are
 * counted. O(log segments) plus at most one call of `newlinesBefore`.
 * @param newlinesBefore  number of "\n" in `text.slice(from, to)`
 * @returns what the map knows; {} for a map without segments. An offset before the first segment counts as
 *   its start.
 */
export function placeOf(map: SourceMap, offset: number, newlinesBefore: (from: number, to: number) => number): Place {
  const { segments } = map;
  const begun = countAtMost({ length: segments.length, at: (n) => segments[n]!.start }, offset);
  const segment = segments[Math.max(begun - 1, 0)];
  if (segment === undefined) return {};
  const place: Place = {};
  if (segment.line !== undefined) {
    const further = segment.linear && offset > segment.start ? newlinesBefore(segment.start, offset) : 0;
    place.line = segment.line + further;
  }
  if (segment.page !== undefined) place.page = segment.page;
  if (segment.path !== undefined) place.path = segment.path;
  return place;
}
