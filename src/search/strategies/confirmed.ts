/** Candidates that meet the question's phrases and excluded words, which only their text decides. */

import type { StrategyRequest } from "./strategy.js";

type Choice = Pick<StrategyRequest, "allowed" | "options">;

/**
 * The best `count` allowed passages. Where the text of a passage shows that it is not allowed, more
 * are chosen, twice as many each time, until `count` are left or there are no others.
 * @param choose  the best allowed passages, best first, at most as many as it is called with
 */
export async function confirmedBest(
  { allowed, options }: Choice,
  count: number,
  choose: (count: number) => readonly number[] | Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (!allowed.isRestricted) return choose(count);
  for (let wanted = count; ; wanted *= 2) {
    const chosen = await choose(wanted);
    const confirmed = await allowed.confirm(chosen, options.signal);
    if (confirmed.length >= count || confirmed.length === chosen.length) return confirmed.slice(0, count);
  }
}

/**
 * A ranking with further allowed passages after it, up to `count`: among few passages, those that no
 * word of the question speaks for are candidates too.
 */
export function withOthers(
  { allowed }: Choice,
  { ids }: { ids: Uint32Array },
  { count, isCandidate }: { count: number; isCandidate: (passage: number) => boolean },
): number[] {
  const ranked = [...ids];
  if (!allowed.isRestricted || ranked.length >= count) return ranked;
  const known = new Set(ranked);
  const { bits } = allowed;
  for (let passage = bits!.indexOf(1); passage >= 0 && ranked.length < count; passage = bits!.indexOf(1, passage + 1)) {
    if (!known.has(passage) && isCandidate(passage)) ranked.push(passage);
  }
  return ranked;
}
