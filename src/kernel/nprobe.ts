/** How many inverted lists a query scans, and which of their rows a filter allows. */

import { LISTS } from "../vectors/centroids.js";
import type { ScanPart } from "./kernel.js";

/** Number of rows in the ranges of a part. */
export function allowedRows({ matrix, ranges }: ScanPart): number {
  if (ranges === undefined) return matrix.rows;
  let rows = 0;
  for (let r = 0; r < ranges.length; r += 2) rows += ranges[r + 1]! - ranges[r]!;
  return rows;
}

/**
 * The number of lists, taken in the given order, that hold the wanted share of all rows. With a filter
 * the share grows in proportion, because each list then has fewer allowed rows.
 * @param parts  matrices with inverted lists
 * @param share  in (0, 1]
 * @returns 0 … LISTS
 */
export function listsToProbe(parts: readonly ScanPart[], order: Uint16Array, share: number): number {
  const all = parts.reduce((sum, { matrix }) => sum + matrix.rows, 0);
  const allowed = parts.reduce((sum, part) => sum + allowedRows(part), 0);
  const wanted = allowed === 0 ? 0 : Math.ceil(Math.min(1, (share * all) / allowed) * all);
  let rows = 0;
  let count = 0;
  for (; count < LISTS && rows < wanted; count++)
    for (const { matrix } of parts) rows += matrix.firsts![order[count]! + 1]! - matrix.firsts![order[count]!]!;
  return count;
}

/** Sets bit r & 7 of byte r >> 3 for every row r in `ranges`, and clears all others. */
export function setBits(bits: Uint8Array, ranges: Uint32Array): void {
  bits.fill(0);
  for (let n = 0; n < ranges.length; n += 2) {
    const [from, to] = [ranges[n]!, ranges[n + 1]!];
    const [first, end] = [(from + 7) >> 3, to >> 3];
    for (let r = from; r < Math.min(to, first * 8); r++) bits[r >> 3]! |= 1 << (r & 7);
    if (end > first) bits.fill(255, first, end);
    for (let r = Math.max(from, Math.max(first, end) * 8); r < to; r++) bits[r >> 3]! |= 1 << (r & 7);
  }
}
