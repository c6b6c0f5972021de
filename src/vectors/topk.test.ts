import fc from "fast-check";
import { expect, it } from "vitest";
import { TopK } from "./topk.js";

it("TopK keeps what sorting everything would keep, in any order of offers", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 }),
      fc.nat({ max: 70 }),
      fc.nat(),
      (scores, k, turn) => {
        const entries = scores.map((score, id) => ({ id, score }));
        const best = new TopK(k);
        for (let n = 0; n < entries.length; n++) {
          const { id, score } = entries[(n + turn) % entries.length]!;
          best.offer(id, score);
        }
        const expected = entries.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
        const sorted = best.sorted();
        expect([...sorted.ids]).toEqual(expected.map((entry) => entry.id));
        expect([...sorted.scores]).toEqual(expected.map((entry) => entry.score));
      },
    ),
  );
});

it("TopK never keeps NaN", () => {
  const best = new TopK(3);
  best.offer(1, Number.NaN);
  best.offer(2, 1);
  expect([...best.sorted().ids]).toEqual([2]);
});
