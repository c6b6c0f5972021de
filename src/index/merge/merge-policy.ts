/**
 * Chooses which segments to merge. Only neighbours are merged, so that documents keep their order
 * and answers, ties included, equal those of a newly built index. Sizes are those of live content.
 */

import type { IndexLevel } from "../format/level.js";

/** A segment as the policy sees it. */
export interface MergeCandidate {
  /** Bytes of its files. */
  bytes: number;
  documents: number;
  deleted: number;
  /** Only segments of one level are merged. */
  level: IndexLevel;
}

/** Merge candidates[from … to), or rewrite one that has many deletions. */
export interface MergePlan {
  from: number;
  to: number;
}

interface MergeBudget {
  /** Maximum bytes of live content that a merge may write. */
  mostBytes: number;
}

/**
 * Merging makes no segment larger than this: rewriting more at once gains nothing, and row numbers
 * have 32 bits.
 */
const MERGED_BYTES = 1024 * 1024 * 1024;
/**
 * This many neighbours of one tier become one segment of the next. An added document is written
 * about log₈(index / 1 MiB) times.
 */
const TIER_SEGMENTS = 8;
/** Smaller segments are all in the lowest tier. */
const TIER_BYTES = 1024 * 1024;
/** A segment with this share of deleted documents is rewritten. */
const DELETED_SHARE = 0.5;
/** The threshold for an explicit `compact`. */
const COMPACT_DELETED_SHARE = 0.1;

const liveBytes = ({ bytes, documents, deleted }: MergeCandidate): number =>
  documents === 0 ? 0 : Math.ceil((bytes * (documents - deleted)) / documents);

const tierOf = (candidate: MergeCandidate): number =>
  Math.max(0, Math.floor(Math.log(Math.max(1, liveBytes(candidate) / TIER_BYTES)) / Math.log(TIER_SEGMENTS)));

/** Background merges: the lowest tier with eight neighbours, or a segment that is half deleted. */
export function pickTiered(candidates: readonly MergeCandidate[], budget: MergeBudget): MergePlan | undefined {
  const tiers = candidates.map(tierOf);
  for (let tier = 0; tier <= Math.max(-1, ...tiers); tier++) {
    for (let from = 0; from < candidates.length; from++) {
      let to = from;
      let bytes = 0;
      const fits = (at: number) => tiers[at]! <= tier && candidates[at]!.level === candidates[from]!.level;
      while (to < candidates.length && to - from < TIER_SEGMENTS && fits(to)) {
        bytes += liveBytes(candidates[to]!);
        to++;
      }
      if (to - from === TIER_SEGMENTS && bytes <= Math.min(budget.mostBytes, MERGED_BYTES)) return { from, to };
    }
  }
  return pickDeleted(candidates, budget, DELETED_SHARE);
}

/**
 * Explicit `compact`: neighbours that fit into one segment together, and segments with a tenth
 * deleted (`full`: with any deletion).
 */
export function pickCompact(
  candidates: readonly MergeCandidate[],
  budget: MergeBudget & { full: boolean },
): MergePlan | undefined {
  const most = Math.min(budget.mostBytes, MERGED_BYTES);
  let best: MergePlan | undefined;
  for (let from = 0; from + 1 < candidates.length; from++) {
    let bytes = 0;
    let to = from;
    const fits = (one: MergeCandidate) => one.level === candidates[from]!.level && bytes + liveBytes(one) <= most;
    while (to < candidates.length && fits(candidates[to]!)) bytes += liveBytes(candidates[to++]!);
    if (to - from >= 2 && to - from > (best ? best.to - best.from : 0)) best = { from, to };
  }
  return best ?? pickDeleted(candidates, budget, budget.full ? Number.MIN_VALUE : COMPACT_DELETED_SHARE);
}

function pickDeleted(
  candidates: readonly MergeCandidate[],
  { mostBytes }: MergeBudget,
  share: number,
): MergePlan | undefined {
  const from = candidates.findIndex(
    (one) => one.documents > 0 && one.deleted / one.documents >= share && liveBytes(one) <= mostBytes,
  );
  return from < 0 ? undefined : { from, to: from + 1 };
}
