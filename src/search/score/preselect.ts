/** Picks passages by approximate sums: whole blocks without a large one are skipped. */

import { TOTALS_BLOCK } from "../../kernel/bounds.js";
import type { Totals } from "../../kernel/kernel.js";
import { TopK } from "../../vectors/topk.js";

type IsCandidate = (passage: number) => boolean;

/** The candidates with the `count` largest sums above a limit, best first. */
export function largestSums(
  { sums, largest }: Totals,
  { count, above, isCandidate }: { count: number; above: number; isCandidate: IsCandidate },
): { ids: Uint32Array; scores: Float64Array } {
  const kept = new TopK(Math.min(count, sums.length));
  let limit = above;
  for (let block = 0; block < largest.length; block++) {
    if (!(largest[block]! > limit)) continue;
    const end = Math.min(sums.length, (block + 1) * TOTALS_BLOCK);
    for (let passage = block * TOTALS_BLOCK; passage < end; passage++) {
      const sum = sums[passage]!;
      if (!(sum > limit) || !isCandidate(passage)) continue;
      kept.offer(passage, sum);
      limit = Math.max(above, kept.worst);
    }
  }
  return kept.sorted();
}

/** The candidates with a sum above a limit, ascending. */
export function sumsAbove(
  { sums, largest }: Totals,
  { above, isCandidate }: { above: number; isCandidate: IsCandidate },
): Uint32Array {
  const numbers: number[] = [];
  for (let block = 0; block < largest.length; block++) {
    if (!(largest[block]! > above)) continue;
    const end = Math.min(sums.length, (block + 1) * TOTALS_BLOCK);
    for (let passage = block * TOTALS_BLOCK; passage < end; passage++) {
      if (sums[passage]! > above && isCandidate(passage)) numbers.push(passage);
    }
  }
  return Uint32Array.from(numbers);
}
