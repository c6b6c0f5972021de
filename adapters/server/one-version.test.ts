import { expect, it } from "vitest";
import { onOneVersion } from "./one-version.js";
import type { OpenIndex } from "./served-index.js";

it("repeats work during which a commit came, at most three times", async () => {
  let version = 1;
  const index = { requireOpen: () => ({ version }) as OpenIndex };
  const begun: number[] = [];
  const work = (commits: number) => async (of: number) => {
    begun.push(of);
    if (begun.length <= commits) version++;
    return begun.length;
  };
  expect(await onOneVersion(index, work(1))).toBe(2);
  expect(begun).toEqual([1, 2]);
  begun.length = 0;
  expect(await onOneVersion(index, work(9))).toBe(3);
  begun.length = 0;
  expect(await onOneVersion(index, work(0))).toBe(1);
});
