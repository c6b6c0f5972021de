/** The passages with the start rows nearest to the question's start vector (DenSPI's DFS), seen through their first dimensions. */

import type { ScanPart } from "../math/kernel.js";
import { rangeOf } from "./numbering.js";
import type { SearchSession } from "./session.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

/**
 * The `denseRows` best start rows of allowed passages by the first `coarse` dimensions, reduced to their first `denseCandidates`
 * passages in that order. Coarse scores are exact integers in the same steps in every segment; ties by segment, then row.
 * O(start rows · coarse) in the kernel, in one pass that hands its floor from segment to segment; the rows stay in memory from the
 * first question on. Of a large index, whose rows lie in lists after a few questions, a share of `probe` is looked at: then some of the best
 * rows may be missing (bench/dense-scan.ts shows how many).
 */
export async function findDenseFirst(request: StrategyRequest): Promise<Candidates> {
  const { session, question, options } = request;
  const parts = await scanParts(request);
  const chosen = new Set<number>();
  if (parts.length === 0) return toCandidates(session.numbering, chosen);
  session.countDenseQuestion();
  const { centroids } = session;
  const probe = centroids === undefined || options.probe === 1 ? undefined : { centroids, share: options.probe };
  for (const row of session.kernel.scanTopK(parts, question.coarse, options.denseRows, probe).rows) {
    chosen.add(passageOfRow(session, row));
    if (chosen.size === options.denseCandidates) break;
  }
  return toCandidates(session.numbering, chosen);
}

/** Passage of a start row, both numbered through all segments. */
export function passageOfRow({ snapshot, numbering }: SearchSession, row: number): number {
  const { firstRows, firstPassages } = numbering;
  const segment = rangeOf(firstRows, row);
  return firstPassages[segment]! + rangeOf(snapshot.segments[segment]!.firstStartRows, row - firstRows[segment]!);
}

/** The start rows of allowed passages, in memory from here on. */
export async function scanParts({ session, allowed, options }: StrategyRequest): Promise<ScanPart[]> {
  const { firstRows } = session.numbering;
  const parts: ScanPart[] = [];
  for (const [number, reader] of session.snapshot.segments.entries()) {
    const ranges = allowed.rowRanges(number);
    if (reader.startRowCount === 0 || ranges?.length === 0) continue;
    const matrix = await session.coarseMatrix(number, options.signal);
    parts.push({ matrix, firstRow: firstRows[number]!, ...(ranges === undefined ? {} : { ranges }) });
  }
  return parts;
}
