/** The passages with the start rows nearest to the question's start vector (DenSPI's DFS), seen through their first dimensions. */

import type { SegmentReader } from "../index/types.js";
import { type Candidates, type StrategyRequest, toCandidates } from "./strategy.js";

interface Row {
  segment: number;
  row: number;
  score: number;
}

/**
 * The `denseRows` best live start rows by the first `coarse` dimensions, reduced to their first `denseCandidates` passages in that
 * order. Coarse scores are exact integers in the same steps in every segment; ties by segment, then row.
 * O(start rows · coarse) in the kernel; the rows stay in memory from the first question on.
 */
export async function findDenseFirst({ session, question, options }: StrategyRequest): Promise<Candidates> {
  const { segments } = session.snapshot;
  const rows: Row[] = [];
  for (const [number, reader] of segments.entries()) {
    if (reader.startRowCount === 0) continue;
    const matrix = await session.coarseMatrix(number, options.signal);
    const scan = (k: number) => session.kernel.scanTopK(matrix, question.coarse, k);
    rows.push(...bestLiveRows(reader, { number, wanted: options.denseRows, scan }));
  }
  rows.sort((a, b) => b.score - a.score || a.segment - b.segment || a.row - b.row);
  const chosen = new Map<string, readonly [number, number]>();
  for (const { segment, row } of rows.slice(0, options.denseRows)) {
    if (chosen.size === options.denseCandidates) break;
    const passage = passageOfRow(segments[segment]!.firstStartRows, row);
    chosen.set(`${segment}:${passage}`, [segment, passage]);
  }
  return toCandidates(segments.length, chosen.values());
}

interface LiveRowsTask {
  number: number;
  wanted: number;
  scan: (k: number) => { rows: Uint32Array; scores: Int32Array };
}

/** Rows of deleted documents take room in a scan: it is repeated with twice the room until enough live rows are in it. */
function bestLiveRows(reader: SegmentReader, { number, wanted, scan }: LiveRowsTask): Row[] {
  for (let k = Math.min(wanted, reader.startRowCount); ; k = Math.min(2 * k, reader.startRowCount)) {
    const { rows, scores } = scan(k);
    const live: Row[] = [];
    for (let n = 0; n < rows.length && live.length < wanted; n++) {
      const row = rows[n]!;
      if (reader.deletedDocumentCount > 0) {
        const passage = passageOfRow(reader.firstStartRows, row);
        if (reader.isDeleted(reader.passageDocuments[passage]!)) continue;
      }
      live.push({ segment: number, row, score: scores[n]! });
    }
    if (live.length === wanted || k === reader.startRowCount) return live;
  }
}

/** The passage p with firstStartRows[p] ≤ row < firstStartRows[p + 1]. O(log passages) */
export function passageOfRow(firstStartRows: Uint32Array, row: number): number {
  let low = 0;
  let high = firstStartRows.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (firstStartRows[middle]! <= row) low = middle;
    else high = middle;
  }
  return low;
}
