import { expect, it } from "vitest";
import { draw } from "./draw.js";

it("draws the same values for the same seed, in their order", () => {
  const all = Array.from({ length: 50 }, (_, i) => i);
  const drawn = draw(all, 10, 7);
  expect(drawn).toEqual(draw(all, 10, 7));
  expect(drawn).toHaveLength(10);
  expect(drawn).toEqual([...new Set(drawn)].sort((a, b) => a - b));
  expect(draw(all, 10, 8)).not.toEqual(drawn);
  expect(draw(all, 80, 7)).toEqual(all);
  expect(draw(all, undefined, 7)).toEqual(all);
});
