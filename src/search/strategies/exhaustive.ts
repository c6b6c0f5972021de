/** Every allowed passage of the index: slow, and the oracle that the other strategies are tested against. */

import type { Candidates, StrategyRequest } from "./strategy.js";

export async function findExhaustive({ session, sparse, allowed }: StrategyRequest): Promise<Candidates> {
  sparse.all(); // every passage is asked for
  const { bits } = allowed;
  return session.snapshot.segments.map((segment, number) => {
    const all = Array.from({ length: segment.passageCount }, (_, passage) => passage);
    if (bits === undefined) return all;
    const first = session.numbering.firstPassages[number]!;
    return all.filter((passage) => bits[first + passage] === 1);
  });
}
