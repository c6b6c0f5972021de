/** Scores every allowed passage: slow, and the oracle that the other strategies are tested against. */

import type { Candidates, Strategy, StrategyRequest } from "./strategy.js";

export const exhaustive: Strategy = {
  step: "dense",
  postings: "all",
  async run(request, scoring) {
    request.scorer.all(); // scoring needs the parts of every passage
    const { allowed, options } = request;
    if (allowed.isRestricted) await allowed.confirm(numbersOf(allowed.bits!), options.signal);
    await scoring.add(everyPassage(request));
  },
};

/** The passages with a 1. */
function numbersOf(bits: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let passage = bits.indexOf(1); passage >= 0; passage = bits.indexOf(1, passage + 1)) numbers.push(passage);
  return numbers;
}

function everyPassage({ searcher, allowed }: StrategyRequest): Candidates {
  const { bits } = allowed;
  return searcher.snapshot.segments.map((segment, number) => {
    const all = Array.from({ length: segment.passageCount }, (_, passage) => passage);
    if (bits === undefined) return all;
    const first = searcher.numbering.firstPassages[number]!;
    return all.filter((passage) => bits[first + passage] === 1);
  });
}
