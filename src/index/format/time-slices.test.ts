/** Compares sliced work with the same work done at once. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { inSlices, sortInSlices } from "./time-slices.js";

it("deals with every number once and in order, and asks after at most 1024 of them", async () => {
  for (const count of [0, 1, 1023, 1024, 1025, 5000]) {
    const seen: number[] = [];
    const slices: number[] = [];
    let asked = 0;
    const work = (from: number, end: number): void => {
      slices.push(end - from);
      for (let n = from; n < end; n++) seen.push(n);
    };
    await inSlices(count, work, () => {
      asked++;
      return asked % 2 === 0 ? Promise.resolve() : undefined;
    });
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(asked).toBe(slices.length);
    expect(Math.max(0, ...slices)).toBeLessThanOrEqual(1024);
  }
});

it("sorts as the array's own sort does, equals in their order", async () => {
  const lists = fc.array(fc.nat(300), { maxLength: 6000, size: "max" });
  await fc.assert(
    fc.asyncProperty(lists, async (numbers) => {
      const items = numbers.map((key, place) => ({ key, place }));
      const before = [...items];
      const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      expect(await sortInSlices(items, byKey, undefined)).toEqual(items.toSorted(byKey));
      expect(items).toEqual(before);
    }),
    { numRuns: 25, seed: 3, examples: [[[]], [[1]]] },
  );
});

it("passes on an error of the pause, which ends the work", async () => {
  let done = 0;
  const stopped = sortInSlices(
    Array.from({ length: 5000 }, (_, n) => -n),
    (a, b) => a - b,
    () => {
      if (++done === 3) throw new Error("stop");
      return undefined;
    },
  );
  await expect(stopped).rejects.toThrow("stop");
  expect(done).toBe(3);
});
