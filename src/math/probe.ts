/** "Which parts of a scan are looked at through their lists, and how far?" The same for both kernels. */

import type { ProbeScan, ScanPart } from "./kernel.js";

export interface ProbePlan<Part extends ScanPart> {
  /** Scanned from the first row to the last. */
  whole: Part[];
  /** Scanned list by list, in the order of `probeOrder`. */
  probed: Part[];
  /** Rows of `probed` to look at, allowed or not, before lists are left out. */
  rows: number;
}

/** A filter leaves few rows in every list: as many more are looked at. */
export function planOf<Part extends ScanPart>(parts: readonly Part[], probe: ProbeScan | undefined): ProbePlan<Part> {
  const isProbed = ({ matrix }: Part): boolean => probe !== undefined && matrix.centroids === probe.centroids;
  const probed = parts.filter(isProbed);
  const all = probed.reduce((sum, { matrix }) => sum + matrix.rows, 0);
  const allowed = probed.reduce((sum, part) => sum + allowedRows(part), 0);
  const share = probe === undefined || allowed === 0 ? 0 : Math.min(1, (probe.share * all) / allowed);
  return { whole: parts.filter((part) => !isProbed(part)), probed, rows: Math.ceil(share * all) };
}

function allowedRows({ matrix, ranges }: ScanPart): number {
  if (ranges === undefined) return matrix.rows;
  let rows = 0;
  for (let r = 0; r < ranges.length; r += 2) rows += ranges[r + 1]! - ranges[r]!;
  return rows;
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
