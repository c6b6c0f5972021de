/** Scores every allowed passage: slow, and the oracle that the other strategies are tested against. */

import type { Candidates, Stage, StrategyRequest } from "./strategy.js";

export const exhaustive: Stage = {
  step: "dense",
  postings: "all",
  async run(request, scoring) {
    request.sparse.all(); // scoring needs the parts of every passage
    await scoring.add(everyPassage(request));
  },
};

function everyPassage({ session, allowed }: StrategyRequest): Candidates {
  const { bits } = allowed;
  return session.snapshot.segments.map((segment, number) => {
    const all = Array.from({ length: segment.passageCount }, (_, passage) => passage);
    if (bits === undefined) return all;
    const first = session.numbering.firstPassages[number]!;
    return all.filter((passage) => bits[first + passage] === 1);
  });
}
