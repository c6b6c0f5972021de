/** "Which rows of a scan are looked at through their lists?" */

import { LISTS } from "../vectors/centroids.js";
import type { ScanPart } from "./kernel.js";

/** Rows that the ranges of a part leave. */
export function allowedRows({ matrix, ranges }: ScanPart): number {
  if (ranges === undefined) return matrix.rows;
  let rows = 0;
  for (let r = 0; r < ranges.length; r += 2) rows += ranges[r + 1]! - ranges[r]!;
  return rows;
}

/**
 * How many lists of `order` have the wanted share of all rows of the parts, which lie in lists: 0 … LISTS. A filter leaves few rows in every list: as
 * many more are looked at.
 * @param share  more than 0, at most 1
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

/** Sets the bits of rows in `ranges`, bit r & 7 of byte r >> 3, and clears all others. */
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
