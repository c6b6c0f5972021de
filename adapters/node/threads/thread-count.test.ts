import { describe, expect, it } from "vitest";
import { threadCount } from "./thread-count.js";

describe("threadCount", () => {
  it("is what the caller gives, or one per core and at most 64", () => {
    expect(threadCount(3, 8)).toBe(3);
    expect(threadCount(undefined, 8)).toBe(8);
    expect(threadCount(undefined, 96)).toBe(64);
  });

  it.each([0, 65, 1.5, Number.NaN])("refuses %d threads", (given) => {
    expect(() => threadCount(given)).toThrow("from 1 to 64");
  });
});
