import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { averageRank, bestRank, recallAt, reciprocalRank, scoreRanks } from "./ranks.js";

describe("averageRank", () => {
  it("shares the ranks of a tie", () => {
    expect([0, 1, 2, 3].map((candidate) => averageRank([5, 3, 3, 1], candidate))).toEqual([1, 2.5, 2.5, 4]);
    expect(averageRank([1, 1, 1, 1, 1], 3)).toBe(3);
    expect(averageRank([Number.NaN, 1, -Infinity], 0)).toBe(2.5);
  });

  it("is a rank that does not depend on the order of the candidates", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }), (scores) => {
        const ranks = scores.map((_, candidate) => averageRank(scores, candidate));
        const sum = ranks.reduce((total, rank) => total + rank, 0);
        expect(sum).toBe((scores.length * (scores.length + 1)) / 2);
        const reversed = scores.toReversed();
        expect(scores.map((_, candidate) => averageRank(reversed, candidate)).toReversed()).toEqual(ranks);
      }),
      { seed: 13 },
    );
  });
});

describe("scores of ranks", () => {
  it("take the best of several right candidates", () => {
    expect(bestRank([1, 9, 4, 4], [0, 2])).toBe(2.5);
    expect(bestRank([1, 9], [])).toBeUndefined();
    expect(bestRank([1, 9], [7])).toBeUndefined();
  });

  it("count a tie on the border as outside", () => {
    expect([recallAt(1, 1), recallAt(1.5, 1), recallAt(5, 5), recallAt(undefined, 100)]).toEqual([1, 0, 1, 0]);
    expect([reciprocalRank(2), reciprocalRank(undefined)]).toEqual([0.5, 0]);
  });

  it("are means over the questions", () => {
    expect(scoreRanks([1, 2, undefined, 4])).toEqual({
      mrr: (1 + 0.5 + 0 + 0.25) / 4,
      recallAt: { 1: 0.25, 5: 0.75, 10: 0.75 },
    });
    expect(scoreRanks([])).toEqual({ mrr: 0, recallAt: { 1: 0, 5: 0, 10: 0 } });
  });
});
