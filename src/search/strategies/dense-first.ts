/** Candidates from the dense side: the start rows nearest to the question's start vector (DenSPI's DFS). */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import type { ScanPart, TopRows } from "../../kernel/kernel.js";
import { allowedRows, listsToProbe } from "../../kernel/nprobe.js";
import { LISTS } from "../../vectors/centroids.js";
import type { CoarseRows } from "../coarse-matrices.js";
import { rangeOf } from "../global-ids.js";
import type { SearchSession } from "../session.js";
import { confirmedBest } from "./confirmed.js";
import { type Candidates, type Stage, type StrategyRequest, toCandidates } from "./strategy.js";

export const denseFirst: Stage = {
  step: "dense",
  postings: "all",
  check({ levels }) {
    const [level] = levels;
    if (level === undefined || levels.includes("full")) return;
    throw new VerbatimError(
      "invalid-argument",
      `dense-first needs stored vectors, and the index is of level ${level}.`,
      { found: level, expected: "full", hint: "Ask without it, or run: verbatim upgrade --level full" },
    );
  },
  async run(request, scoring) {
    await scoring.add(await bestByVectors(request));
  },
};

/**
 * The `denseRows` best start rows of allowed passages by the first `coarse` dimensions, reduced to
 * the first `denseCandidates` passages in that order. Coarse scores are exact integers on the same
 * scale in every segment; ties by segment, then row. O(start rows · coarse) in the kernel.
 *
 * In a large index, whose rows are in inverted lists, only the lists nearest to the question are
 * scanned, as many as hold a share of `denseShare` of the rows; some of the best rows may then be
 * missing (bench/dense-scan.ts measures how many). Rows are read when a question first needs them
 * and stay in memory.
 */
export async function bestByVectors(request: StrategyRequest): Promise<Candidates> {
  const { session, options } = request;
  const { denseCandidates, denseRows } = options;
  const best = await confirmedBest(request, denseCandidates, async (count) => {
    const chosen = new Set<number>();
    const { rows } = await nearestRows(request, Math.ceil((denseRows * count) / denseCandidates));
    for (const row of rows) {
      chosen.add(passageOfRow(session, row));
      if (chosen.size === count) break;
    }
    return [...chosen];
  });
  return toCandidates(session.numbering, best);
}

async function nearestRows(request: StrategyRequest, denseRows: number): Promise<TopRows> {
  const { session, question, options } = request;
  const { kernel, centroids } = session;
  const { denseShare, signal } = options;
  if (centroids === undefined || denseShare === 1) return scanEveryRow(request, denseRows);
  const parts = await openParts(request);
  const probed = parts.filter(({ rows }) => rows.centroids === centroids);
  const others = parts.filter(({ rows }) => rows.centroids !== centroids); // with other centroids, or too small for lists
  await loaded(others.map(({ rows }) => rows.load()));
  const order = kernel.probeOrder(centroids, question.coarse);
  const allowed = parts.reduce((sum, part) => sum + allowedRows(part), 0);
  // a filter may leave too few rows in these lists: then scan twice as many
  for (let count = listsToProbe(probed, order, denseShare); ; count = Math.min(LISTS, 2 * Math.max(1, count))) {
    const lists = order.subarray(0, count);
    await loaded(probed.map(({ rows }) => rows.load(lists)));
    throwIfAborted(signal);
    const scanned = parts.map((part) => (part.rows.centroids === centroids ? { ...part, lists } : part));
    const top = kernel.scanTopK(scanned, question.coarse, denseRows);
    if (count === LISTS || top.rows.length === Math.min(denseRows, allowed)) return top;
  }
}

/** Yields the thread only if something is still loading. */
async function loaded(loading: ReadonlyArray<Promise<unknown> | undefined>): Promise<void> {
  if (loading.some((one) => one !== undefined)) await Promise.all(loading);
}

/** The passage of a start row, both numbered through all segments. */
function passageOfRow({ snapshot, numbering }: SearchSession, row: number): number {
  const { firstRows, firstPassages } = numbering;
  const segment = rangeOf(firstRows, row);
  return firstPassages[segment]! + rangeOf(snapshot.segments[segment]!.firstStartRows, row - firstRows[segment]!);
}

/** A segment's rows, which are loaded before they are scanned. */
interface OpenPart extends ScanPart {
  rows: CoarseRows;
}

/** The best start rows of allowed passages by a scan of every row. */
async function scanEveryRow(request: StrategyRequest, k: number): Promise<TopRows> {
  const parts = await openParts(request);
  await loaded(parts.map(({ rows }) => rows.load()));
  throwIfAborted(request.options.signal);
  return request.session.kernel.scanTopK(parts, request.question.coarse, k);
}

/** The segments that have start rows of allowed passages. */
async function openParts({ session, allowed, options }: StrategyRequest): Promise<OpenPart[]> {
  const { firstRows } = session.numbering;
  const parts: OpenPart[] = [];
  for (const [number, reader] of session.snapshot.segments.entries()) {
    const ranges = allowed.rowRanges(number);
    if (reader.startRowCount === 0 || ranges?.length === 0) continue;
    const rows = await session.coarseRows(number, options.signal);
    const part = { rows, matrix: rows.matrix, firstRow: firstRows[number]! };
    parts.push(ranges === undefined ? part : { ...part, ranges });
  }
  return parts;
}
